"""Connections from kubeconfigs, read by the official loader; exec plugins are real processes."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from kube.config import load_connection
from kube.connection import connect_to
from kube.errors import ConfigurationError


def write_kubeconfig(path: Path, user: Mapping[str, object], server: str = "http://127.0.0.1:8001") -> str:
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": server}}],
        "users": [{"name": "u", "user": dict(user)}],
        "contexts": [
            {"name": "plain", "context": {"cluster": "c", "user": "u"}},
            {"name": "ml", "context": {"cluster": "c", "user": "u", "namespace": "training"}},
        ],
        "current-context": "plain",
    }
    path.write_text(yaml.safe_dump(document))
    return str(path)


async def test_a_token_and_a_namespace_come_from_the_context(tmp_path: Path) -> None:
    path = write_kubeconfig(tmp_path / "config", {"token": "t1"})
    connection = load_connection(path, "ml")
    assert (connection.server, connection.namespace) == ("http://127.0.0.1:8001", "training")
    assert load_connection(path).namespace == "default"
    access = await connection.credentials.read(refused=False)
    assert access.headers == {"Authorization": "Bearer t1"}


async def test_a_refused_token_is_read_from_the_file_again(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("first")
    connection = load_connection(write_kubeconfig(tmp_path / "config", {"tokenFile": str(token)}))
    assert (await connection.credentials.read(refused=False)).headers["Authorization"] == "Bearer first"
    token.write_text("second")
    assert (await connection.credentials.read(refused=True)).headers["Authorization"] == "Bearer second"


async def test_an_exec_plugin_gives_the_token(tmp_path: Path) -> None:
    plugin = tmp_path / "plugin.py"
    answer = {"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "made"}}
    plugin.write_text(f"import json\nprint(json.dumps({answer!r}))\n")
    user = {
        "exec": {
            "apiVersion": "client.authentication.k8s.io/v1",
            "command": sys.executable,
            "args": [str(plugin)],
            "interactiveMode": "Never",
        }
    }
    connection = load_connection(write_kubeconfig(tmp_path / "config", user))
    assert (await connection.credentials.read(refused=False)).headers["Authorization"] == "Bearer made"


def test_a_kubeconfig_that_cannot_be_used_says_which(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text("clusters: nothing")
    with pytest.raises(ConfigurationError, match=r"cannot use the kubeconfig .*config"):
        load_connection(str(path))


def test_no_cluster_at_all_says_what_was_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("KUBECONFIG", "KUBERNETES_SERVICE_HOST"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(ConfigurationError, match="KUBECONFIG is not set"):
        load_connection()


async def test_https_brings_a_tls_context_that_checks(tmp_path: Path) -> None:
    connection = load_connection(write_kubeconfig(tmp_path / "config", {"token": "t"}, "https://127.0.0.1:6443"))
    access = await connection.credentials.read(refused=False)
    assert access.tls is not None
    assert access.tls.check_hostname
    assert (await connection.credentials.read(refused=False)).tls is access.tls


async def test_a_url_and_a_token_are_enough() -> None:
    connection = connect_to("http://127.0.0.1:9/", "t")
    assert connection.server == "http://127.0.0.1:9"
    assert (await connection.credentials.read(refused=False)).headers == {"Authorization": "Bearer t"}
