#!/bin/bash
python worker.py --job 1 --hold 3 &
sleep 1
python worker.py --job 2
STATUS=$?
wait
exit $STATUS
