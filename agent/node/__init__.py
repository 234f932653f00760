"""The agent of one node: looks at the host every few seconds and keeps the node's NodeReport true.

It runs on every node, so it stays small: no numpy, no kubernetes package, no list, no watch, no idle connection.
"""
