"""The command lines of the programs of a control plane."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.audit import POLICY
from tests.cluster.credentials import CONTROLLER_MANAGER, SCHEDULER, Credentials
from tests.cluster.ports import HOST

_TOO_FAST_TO_MATTER = 2000


@dataclass(frozen=True, slots=True)
class Ports:
    """Where each program listens, on the loopback address."""

    etcd: int
    peers: int
    api_server: int
    controller_manager: int
    scheduler: int
    kwok: int


def etcd(folder: Path, ports: Ports) -> list[str]:
    """etcd without syncing to disk: what a crash of the machine loses does not matter here."""
    clients, peers = f"http://{HOST}:{ports.etcd}", f"http://{HOST}:{ports.peers}"
    return [
        "--unsafe-no-fsync",
        f"--data-dir={folder / 'etcd'}",
        f"--listen-client-urls={clients}",
        f"--advertise-client-urls={clients}",
        f"--listen-peer-urls={peers}",
        f"--initial-advertise-peer-urls={peers}",
        f"--initial-cluster=default={peers}",
        "--log-level=warn",
    ]


def api_server(folder: Path, ports: Ports, who: Credentials, more: tuple[str, ...]) -> list[str]:
    """kube-apiserver with RBAC and an audit log. 1.37 refuses a loopback address as the advertised one."""
    policy = folder / "audit-policy.json"
    policy.write_text(json.dumps(POLICY))
    return [
        f"--etcd-servers=http://{HOST}:{ports.etcd}",
        f"--bind-address={HOST}",
        f"--secure-port={ports.api_server}",
        "--advertise-address=192.0.2.1",
        "--endpoint-reconciler-type=none",
        "--service-cluster-ip-range=10.0.0.0/24",
        f"--tls-cert-file={who.certificate}",
        f"--tls-private-key-file={who.key}",
        f"--token-auth-file={who.token_file}",
        "--authorization-mode=RBAC",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={who.signing_key}",
        f"--service-account-signing-key-file={who.signing_key}",
        f"--audit-policy-file={policy}",
        f"--audit-log-path={folder / 'audit.log'}",
        *more,
    ]


def controller_manager(ports: Ports, who: Credentials, url: str, controllers: tuple[str, ...]) -> list[str]:
    """kube-controller-manager with the named controllers ("*" for those that are on by default)."""
    return [
        f"--kubeconfig={who.write_kubeconfig(CONTROLLER_MANAGER, url)}",
        f"--controllers={','.join(controllers)}",
        f"--service-account-private-key-file={who.signing_key}",
        f"--root-ca-file={who.authority}",
        "--use-service-account-credentials",
        f"--kube-api-qps={_TOO_FAST_TO_MATTER}",
        f"--kube-api-burst={_TOO_FAST_TO_MATTER}",
        "--leader-elect=false",
        *_serving(ports.controller_manager, who),
    ]


def scheduler(folder: Path, ports: Ports, who: Credentials, url: str) -> list[str]:
    """kube-scheduler as it comes, without the limits of its client."""
    connection = {
        "kubeconfig": str(who.write_kubeconfig(SCHEDULER, url)),
        "qps": _TOO_FAST_TO_MATTER,
        "burst": _TOO_FAST_TO_MATTER,
    }
    configuration = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "clientConnection": connection,
        "leaderElection": {"leaderElect": False},
    }
    file = folder / "scheduler.json"
    file.write_text(json.dumps(configuration))
    return [f"--config={file}", *_serving(ports.scheduler, who)]


def _serving(port: int, who: Credentials) -> list[str]:
    return [
        f"--bind-address={HOST}",
        f"--secure-port={port}",
        f"--tls-cert-file={who.certificate}",
        f"--tls-private-key-file={who.key}",
    ]
