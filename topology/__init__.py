"""Conclusions: from evidence to one graph, its levels and domains, the tree of HyperNodes and the plan that changes it.

Everything in this room is a pure function between printable values: no input or output, no clock, no randomness, no
Kubernetes. Clocks, seeds and identities are arguments. It may import the evidence types of `discovery` and nothing else
of ours.
"""
