"""Connections from kubeconfigs, read by the official loader; exec plugins are real processes."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import kubernetes  # noqa: F401  before a test gives up its rights
import pytest
import yaml

from kube.config import load_connection
from kube.connection import connect_to
from kube.errors import ConfigurationError
from kube.pod_account import pod_connection
from tests.nobody import as_nobody, closed


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


def test_a_name_that_is_too_long_is_told() -> None:
    with pytest.raises(ConfigurationError, match="cannot be read: File name too long"):
        load_connection("x" * 300)


def test_one_of_several_that_cannot_be_looked_at_is_told(tmp_path: Path) -> None:
    path = write_kubeconfig(tmp_path / "config", {"token": "t"})
    assert load_connection(f"{path}:{tmp_path}/none").server == "http://127.0.0.1:8001"
    with pytest.raises(ConfigurationError, match="File name too long"):
        load_connection(f"{path}:{'x' * 300}")


def test_a_home_that_nobody_knows_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("KUBECONFIG", "KUBERNETES_SERVICE_HOST"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    with pytest.raises(ConfigurationError, match="KUBECONFIG is not set"):
        load_connection()
    with pytest.raises(ConfigurationError, match="does not exist"):
        load_connection("~nobody-of-that-name/config")


def test_a_pod_that_may_not_look_into_its_home_goes_by_its_account(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "192.0.2.1")
    monkeypatch.setenv("HOME", str(closed(tmp_path)))
    with as_nobody(), pytest.raises(ConfigurationError, match="cannot use the pod's service account"):
        load_connection()


def test_a_pod_account_without_a_namespace_is_of_default_and_one_that_is_closed_is_told(tmp_path: Path) -> None:
    pod = {"KUBERNETES_SERVICE_HOST": "192.0.2.1"}
    assert pod_connection(pod, tmp_path).namespace == "default"
    folder = closed(tmp_path)
    with as_nobody(), pytest.raises(ConfigurationError, match=r"namespace: .*Permission denied"):
        pod_connection(pod, folder)
