"""The agent of one node: looks at the host every few seconds and keeps the node's NodeReport true.

`probes` asks, each probe watched by `watching`; `evidence` is what is known, `judging` makes verdicts of it and
`assembling` the report; `running` is the loop of them, and `reporting` carries the report to the API server.

It runs on every node, so it stays small: no numpy, no kubernetes package, no list, no watch, no idle connection.
"""
