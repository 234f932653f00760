"""The processes at the edge: when to probe, and how evidence is published as report objects.

`node` is the agent, which runs on every node and so stays small in memory: it imports neither kubernetes nor typer nor
rich nor numpy. `sweeper` is the one process a fabric that reads all of it at once.
"""
