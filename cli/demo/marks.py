"""How the demo's objects are told from everything else on a cluster, and kept apart from it."""

from __future__ import annotations

from kube.meta import Body

MARK = "hyperscout.io/demo"
LABELS = {MARK: "true"}
"""On everything that the demo makes itself."""
SELECTOR = f"{MARK}=true"
PLAYED = {"kwok.x-k8s.io/node": "fake"}
"""The annotation by which kwok knows the nodes that it is to play."""
TAINT: Body = {"key": MARK, "value": "true", "effect": "NoSchedule"}
"""Keeps everybody else's pods off the demo's nodes."""
TOLERATION: Body = {"key": MARK, "operator": "Exists", "effect": "NoSchedule"}
