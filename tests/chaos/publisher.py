"""What agents and sweepers write, written at once by one writer: only what changed, with plain requests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from kube.meta import Object
from tests.chaos.api import APPLY, Api, Body

OURS = "/apis/hyperscout.io/v1alpha1"
NODES, NODE_REPORTS, SWITCH_REPORTS, SWEEP_REPORTS = (
    "/api/v1/nodes", f"{OURS}/nodereports", f"{OURS}/switchreports", f"{OURS}/sweepreports",
)  # fmt: skip
KINDS = {NODE_REPORTS: "NodeReport", SWITCH_REPORTS: "SwitchReport", SWEEP_REPORTS: "SweepReport"}


@dataclass(slots=True)
class Publisher:
    """Writes reports that changed, as their only writer would, and deletes those that should not be there."""

    api: Api
    written: dict[str, dict[str, Body]] = field(default_factory=lambda: {path: {} for path in KINDS})

    def publish(self, path: str, objects: Mapping[str, Body]) -> None:
        """All objects of a kind."""
        known = self.written[path]
        for name, body in objects.items():
            if known.get(name) != body:
                self.write(path, name, body)
        for name in known.keys() - objects.keys():
            self.delete(path, name)

    def write(self, path: str, name: str, body: Body) -> None:
        """One of them, whatever was written before."""
        document = {"apiVersion": "hyperscout.io/v1alpha1", "kind": KINDS[path], **body}
        answer = self.api.send("PATCH", f"{path}/{name}?fieldManager=site&force=true", document, APPLY)
        assert answer.status in (200, 201), answer.body
        self.written[path][name] = body

    def delete(self, path: str, name: str) -> None:
        """One of them; it is written again when it is published."""
        assert self.api.send("DELETE", f"{path}/{name}").status in (200, 404)
        self.written[path].pop(name, None)


def bodies(objects: tuple[Object, ...]) -> dict[str, Body]:
    """Objects as they are written: name, labels and spec."""
    found: dict[str, Body] = {}
    for one in objects:
        document: dict[str, Any] = msgspec.to_builtins(one)
        metadata = {key: document["metadata"][key] for key in ("name", "labels") if key in document["metadata"]}
        found[metadata["name"]] = {"metadata": metadata, "spec": document["spec"]}
    return found
