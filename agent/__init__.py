"""The processes at the edge: when to probe, and how evidence is published as report objects.

This room runs on every node, so it stays small in memory: it imports neither kubernetes nor typer nor rich nor numpy.
"""
