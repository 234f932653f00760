"""The pure part of the scheduler: one snapshot and one gang in, one Placement or one Refusal out.

No input or output, no clock, no randomness, no Kubernetes: the same code answers the scheduler, `whatif` and `explain`.
"""
