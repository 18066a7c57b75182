#!/bin/bash
python adapter.py "$1"
