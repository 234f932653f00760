"""What nobody does where no container runs: the marks of a controller and an agent, and the pod of the hook."""

from __future__ import annotations

import copy
import json
import subprocess
import sys

from tests.cli.processes.child import PROGRAM
from tests.cluster.tokens import Account
from tests.deploy.cluster import Cluster, must
from tests.deploy.rendering import DEPLOY, Object

OUR_TAINT = {"key": "hyperscout.io/fabric-unhealthy", "effect": "NoSchedule"}


def items(cluster: Cluster, path: str) -> list[Object]:
    """The objects of a collection."""
    return list(cluster.plane.ask("GET", path).body["items"])


def mark(cluster: Cluster) -> None:
    """What the controller and an agent would have written."""
    cluster.apply(hyper_node("leaf-1"), report("gpu-1"))
    must(cluster.kubectl("label", "node", "gpu-1", "hyperscout.io/leaf=leaf-1"))
    must(cluster.kubectl("taint", "node", "gpu-1", f"{OUR_TAINT['key']}:{OUR_TAINT['effect']}"))
    condition = {"type": "FabricHealthy", "status": "False", "reason": "LinksDown"}
    status = json.dumps({"status": {"conditions": [condition]}})
    must(cluster.kubectl("patch", "node", "gpu-1", "--subresource=status", "--type=strategic", "-p", status))


def hyper_node(name: str) -> Object:
    """One of ours, with a node in it."""
    members = [{"type": "Node", "selector": {"exactMatch": {"name": "gpu-1"}}}]
    metadata = {"name": name, "labels": {"volcano.sh/network-topology-source": "hyperscout"}}
    spec = {"tier": 2, "tierName": "leaf", "members": members}
    return {"apiVersion": "topology.volcano.sh/v1alpha1", "kind": "HyperNode", "metadata": metadata, "spec": spec}


def report(name: str) -> Object:
    """The NodeReport of a node that has no ports."""
    spec = {"ports": [], "bootId": "1", "heartbeat": "2026-01-01T00:00:00Z"}
    return {"apiVersion": "hyperscout.io/v1alpha1", "kind": "NodeReport", "metadata": {"name": name}, "spec": spec}


def running_pod_of_the_hook(cluster: Cluster) -> Object | None:
    """The pod that helm waits for before it deletes anything."""
    selector = "labelSelector=app.kubernetes.io/component=uninstall"
    pods = items(cluster, f"/api/v1/namespaces/hyperscout-system/pods?{selector}")
    return next((pod for pod in pods if pod.get("status", {}).get("phase") == "Running"), None)


def uninstall_as(cluster: Cluster, account: str) -> None:
    """What that pod does, with the token of its account; it has to succeed."""
    token = Account(cluster.plane, "hyperscout-system", account).token()
    kubeconfig = cluster.home / "uninstalling"
    kubeconfig.write_text(cluster.plane.kubeconfig(token, "hyperscout-system"))
    words = [sys.executable, "-c", PROGRAM, "uninstall", "--kubeconfig", str(kubeconfig)]
    done = subprocess.run(words, cwd=DEPLOY.parent, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def pod_of(workload: Object) -> Object:
    """A pod as the controllers make it of a Deployment, a DaemonSet or a Job."""
    template = copy.deepcopy(workload["spec"]["template"])
    metadata = {"name": f"{workload['metadata']['name']}-0", "namespace": workload["metadata"]["namespace"]}
    # Names of ConfigMaps play no part in what is admitted.
    return {"apiVersion": "v1", "kind": "Pod", "metadata": template["metadata"] | metadata, "spec": template["spec"]}
