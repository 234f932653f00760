"""What is particular to the embedded server; what it shares with a real one is in `tests/contract`."""
