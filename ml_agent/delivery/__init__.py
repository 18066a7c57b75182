"""What the request says should come out, and whether it did."""
