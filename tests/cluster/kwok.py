"""How kwok plays nodes and the pods on them: nodes are ready at once, pods run at once and go at once when deleted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ALL_NODES = "--manage-all-nodes=true"
ANNOTATED_NODES = ("--manage-all-nodes=false", "--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake")
"""Only nodes that ask for it, as kwok is installed on clusters that have others."""
NEVER_LOST = "--node-monitor-grace-period=1h"
"""For the controller manager: played nodes say nothing for longer than it waits by default."""

_HEARTBEAT_MS = 600_000

_CONDITIONS = """
conditions:
{{ range NodeConditions }}
- type: {{ .type | Quote }}
  status: {{ .status | Quote }}
  reason: {{ .reason | Quote }}
  message: {{ .message | Quote }}
  lastHeartbeatTime: {{ Now | Quote }}
  lastTransitionTime: {{ $.metadata.creationTimestamp | Quote }}
{{ end }}
"""

_NEW_NODE = (
    _CONDITIONS
    + """
addresses:
{{ with .status.addresses }}
{{ YAML . 1 }}
{{ else }}
- {type: InternalIP, address: {{ NodeIP | Quote }}}
- {type: Hostname, address: {{ .metadata.name | Quote }}}
{{ end }}
allocatable:
{{ with .status.allocatable }}
{{ YAML . 1 }}
{{ else }}
  {cpu: "64", memory: 512Gi, pods: "110"}
{{ end }}
capacity:
{{ with .status.capacity }}
{{ YAML . 1 }}
{{ else }}
  {cpu: "64", memory: 512Gi, pods: "110"}
{{ end }}
phase: Running
"""
)

_RUNNING_POD = """
{{ $now := Now }}
phase: Running
startTime: {{ $now | Quote }}
conditions:
- {type: Initialized, status: "True", lastTransitionTime: {{ $now | Quote }}}
- {type: ContainersReady, status: "True", lastTransitionTime: {{ $now | Quote }}}
- {type: Ready, status: "True", lastTransitionTime: {{ $now | Quote }}}
containerStatuses:
{{ range .spec.containers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  ready: true
  restartCount: 0
  state: {running: {startedAt: {{ $now | Quote }}}}
{{ end }}
"""

_READY = '.status.conditions.[] | select( .type == "Ready" ) | .status'
_DELETED = ".metadata.deletionTimestamp"


def stages() -> list[dict[str, Any]]:
    """What kwok does to nodes and pods, as its Stage documents."""
    ready = {"key": _READY, "operator": "In", "values": ["True"]}
    not_ready = ready | {"operator": "NotIn"}
    pending = {"key": ".status.phase", "operator": "In", "values": ["Pending"]}
    return [
        _stage("node-ready", "Node", [not_ready], {"statusTemplate": _NEW_NODE}),
        _stage("node-heartbeat", "Node", [ready], {"statusTemplate": _CONDITIONS}, _HEARTBEAT_MS),
        _stage(
            "pod-runs",
            "Pod",
            [{"key": _DELETED, "operator": "DoesNotExist"}, pending],
            {"statusTemplate": _RUNNING_POD},
        ),
        _stage("pod-goes", "Pod", [{"key": _DELETED, "operator": "Exists"}], {"delete": True}),
    ]


def arguments(folder: Path, kubeconfig: Path, port: int) -> list[str]:
    """The arguments of kwok; its configuration goes into the folder."""
    file = folder / "kwok-stages.yaml"
    file.write_text("\n---\n".join(json.dumps(stage) for stage in stages()))
    return [
        f"--kubeconfig={kubeconfig}",
        f"--config={file}",
        f"--server-address=127.0.0.1:{port}",
    ]


def _stage(
    name: str, kind: str, matching: list[dict[str, Any]], then: dict[str, Any], after_ms: int = 0
) -> dict[str, Any]:
    return {
        "apiVersion": "kwok.x-k8s.io/v1alpha1",
        "kind": "Stage",
        "metadata": {"name": name},
        "spec": {
            "resourceRef": {"apiGroup": "v1", "kind": kind},
            "selector": {"matchExpressions": matching},
            "next": then,
            "delay": {"durationMilliseconds": after_ms},
        },
    }
