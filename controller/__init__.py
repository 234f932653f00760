"""The reconciler: looks at reports, Nodes and HyperNodes, decides what should stand, and writes what differs.

`running` is the loop. A look goes from `snapshot` to `decide`, whose steps are in `conclusion` (pure), and on to
`writing`, with `hyper_nodes`, `nodes`, `statuses` and `journal` for each kind of object. It decides when to look and
what to write; what the evidence means is the topology room's matter.
"""
