"""Synthetic fabrics: any size, any of the designs that sites build, with the defects that cabling has.

A frozen spec (`spec`) describes a fabric; `tree` and `mesh` draw it as a `Drawing`, which holds the nodes, the cables
and the truth about both; `damage` gives a copy with defects; `evidence` turns a drawing into a Scan and `text` a Scan
into what ibnetdiscover would print. `sites` composes what needs more than one fabric. Nothing here is random: every
choice follows from the seed in the spec (`draws`).
"""
