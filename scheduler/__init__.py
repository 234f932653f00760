"""Placement: gangs of pods into the tightest part of the fabric that fits them.

`kernel/` is pure (tree, snapshot, place, explain, what-if); the loop beside it feeds it from the API server and binds
what it decides.
"""
