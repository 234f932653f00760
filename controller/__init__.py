"""The reconciler: from report objects to HyperNodes with conditions, over the API server only.

It calls the topology room for every conclusion and carries the plan out; it decides when to look and what to write,
never what the evidence means.
"""
