"""Figures that every process has; those of a room stand in the room. docs/reference/metrics.md lists them all."""

from __future__ import annotations

import re
from importlib.metadata import version

from prometheus_client import CollectorRegistry, Counter, Gauge, Info

from kube.errors import READS, ApiError
from kube.tenure import Leading


class ProcessMetrics:
    """Version, leadership and what became of writes."""

    def __init__(self, registry: CollectorRegistry, leading: Leading | None) -> None:
        """`leading` None: where nobody leads, nobody is told of a leader."""
        build = Info("hyperscout_build", "Which hyperscout this is", registry=registry)
        build.info({"version": version("hyperscout")})
        if leading is not None:
            leader = Gauge("hyperscout_leader", "1 while this replica leads and may write, else 0", registry=registry)
            leader.set_function(lambda: float(leading.term != 0))
        self._applied = Counter(
            "hyperscout_apply_total",
            "Writes to the API server, by verb and by what became of them",
            ["action", "result"],
            registry=registry,
        )

    def wrote(self, verb: str, error: ApiError | None) -> None:
        """A write is over. The result is `done` or the kind of the error (`conflict`, `not_ours`). A read that came
        before it and failed is none."""
        if verb in READS:
            return
        kind = "done" if error is None else re.sub(r"(?<!^)(?=[A-Z])", "_", type(error).__name__).lower()
        self._applied.labels(verb, kind).inc()
