"""A sweeper's node name map: the chart mounts it where the sweeper looks, and a changed one is read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest
import yaml

from agent.sweeper.infiniband.naming import read_names
from cli.processes.loading import load
from cli.processes.sweeper_settings import SweeperOptions
from tests.deploy.rendering import CHART, Object, built, identity, rendered, template

TEXT = '# ours\n0x2c5eab0300b87b40 "leaf-01"\n  0x2c5eab0300b87b41 "a: b" # {{ no template }}\r\n'
NAMES = {"2c5eab0300b87b40": "leaf-01", "2c5eab0300b87b41": "a: b"}
SETTINGS = "hyperscout-sweeper-ib-settings-"
OTHERS = {"configMap": "fabric-names", "key": "node-name-map"}


def sweepers(node_names: object, **more: object) -> str:
    """One with that map, and one without any."""
    return f"--set-json=sweepers={json.dumps([{'name': 'ib', 'nodeNameMap': node_names, **more}, {'name': 'plain'}])}"


def pod_of(objects: list[Object], name: str = "ib") -> Object:
    (deployment,) = [one for one in objects if identity(one)[::2] == ("Deployment", f"hyperscout-sweeper-{name}")]
    pod: Object = deployment["spec"]["template"]["spec"]
    return pod


def config_maps(objects: list[Object]) -> dict[str, dict[str, str]]:
    return {
        one["metadata"]["name"]: one["data"]
        for one in objects
        if one["kind"] == "ConfigMap" and one["metadata"]["namespace"] == "hyperscout-node"
    }


def volume_of(pod: Object, name: str = "node-names") -> Object:
    (volume,) = [one["configMap"] for one in pod["volumes"] if one["name"] == name]
    found: Object = volume
    return found


def file_told(objects: list[Object], tmp_path: Path) -> PurePosixPath:
    """The file that the sweeper's settings name."""
    (text,) = [data["settings.yaml"] for name, data in config_maps(objects).items() if name.startswith(SETTINGS)]
    (tmp_path / "settings.yaml").write_text(text)
    return PurePosixPath(load(SweeperOptions, tmp_path / "settings.yaml", {}, {}).sweep.node_name_map)


def test_a_text_is_mounted_where_the_sweeper_looks_for_it(tmp_path: Path) -> None:
    objects = rendered(CHART, sweepers({"text": TEXT}))
    pod, file = pod_of(objects), file_told(objects, tmp_path)
    (mount,) = [one for one in pod["containers"][0]["volumeMounts"] if one["name"] == "node-names"]
    assert mount == {"name": "node-names", "mountPath": str(file.parent), "readOnly": True}
    volume = volume_of(pod)
    (item,) = [item for item in volume["items"] if item["path"] == file.name]
    held = config_maps(objects)[volume["name"]][item["key"]]
    assert held == TEXT
    assert read_names(held) == (NAMES, 0)


def test_a_changed_text_starts_a_new_pod_of_that_sweeper_alone() -> None:
    before, same, after = (
        rendered(CHART, sweepers({"text": text})) for text in (TEXT, TEXT, TEXT.replace("leaf-01", "leaf-1"))
    )
    assert pod_of(before) == pod_of(same)
    assert pod_of(before) != pod_of(after)
    assert pod_of(before, "plain") == pod_of(after, "plain")


def test_a_config_map_of_others_is_mounted_as_a_folder_so_that_its_changes_arrive(tmp_path: Path) -> None:
    objects = rendered(CHART, sweepers(OTHERS))
    pod, file = pod_of(objects), file_told(objects, tmp_path)
    assert volume_of(pod) == {"name": "fabric-names", "items": [{"key": "node-name-map", "path": file.name}]}
    (mount,) = [one for one in pod["containers"][0]["volumeMounts"] if one["name"] == "node-names"]
    assert mount == {"name": "node-names", "mountPath": str(file.parent), "readOnly": True}
    assert all("-settings-" in name for name in config_maps(objects))


def test_a_sweeper_without_names_is_as_it_was() -> None:
    with_names = rendered(CHART, sweepers(OTHERS))
    without = rendered(CHART, '--set-json=sweepers=[{"name":"plain"}]')
    assert pod_of(with_names, "plain") == pod_of(without, "plain")


ETHERNET = {"sweep": {"kind": "ethernet"}, "snmp": {"targets": ["10.0.0.1"]}}
REFUSED = [
    (sweepers({}), "at '/sweepers/0/nodeNameMap': minProperties: got 0, want 1"),
    (sweepers({"configMap": "a"}), "the nodeNameMap of the sweeper ib is not whole: give text, or configMap"),
    (sweepers({"key": "a"}), "the nodeNameMap of the sweeper ib is not whole: give text, or configMap"),
    (sweepers({"text": TEXT} | OTHERS), "the sweeper ib has text and names a ConfigMap, too: give text alone"),
    (sweepers({"text": "/etc/names"}), "at '/sweepers/0/nodeNameMap/text': "),
    (sweepers({"text": ""}), "at '/sweepers/0/nodeNameMap/text': "),
    (sweepers({"configMap": "A_b", "key": "a"}), "at '/sweepers/0/nodeNameMap/configMap': "),
    (sweepers({"configMap": "a", "key": "a/b"}), "at '/sweepers/0/nodeNameMap/key': "),
    (sweepers(TEXT), "at '/sweepers/0/nodeNameMap': got string, want object"),
    (
        sweepers(OTHERS, settings=ETHERNET, snmpSecret="s"),
        "the sweeper ib has a nodeNameMap, and asks Ethernet switches",
    ),
    (
        "--set=sweeper.settings.sweep.nodeNameMap=/etc/names",
        "the settings of the sweeper name the node name map /etc/names, a file that its pod does not have",
    ),
    (
        sweepers(OTHERS, settings={"sweep": {"nodeNameMap": "/x"}}),
        "the settings of the sweeper ib name the node name map /x",
    ),
]


@pytest.mark.parametrize(("choice", "sentence"), REFUSED)
def test_names_that_cannot_be_mounted_are_refused_in_a_sentence(choice: str, sentence: str) -> None:
    ended = template(CHART, choice)
    assert ended.code != 0
    assert sentence in ended.err


def test_with_kustomize_the_map_lies_beside_the_settings(site: Callable[..., Path]) -> None:
    folder = site()
    (folder / "names").write_text(TEXT)
    file = folder / "kustomization.yaml"
    merged = {
        "name": "hyperscout-sweeper-default-settings",
        "namespace": "hyperscout-node",
        "behavior": "merge",
        "files": ["names"],
    }
    file.write_text(yaml.safe_dump(yaml.safe_load(file.read_text()) | {"configMapGenerator": [merged]}))
    objects = built(folder)
    pod = pod_of(objects, "default")
    held = config_maps(objects)[volume_of(pod, "settings")["name"]]
    assert held.keys() == {"names", "settings.yaml"}
    mounts = {one["name"]: one["mountPath"] for one in pod["containers"][0]["volumeMounts"]}
    assert f"{mounts['settings']}/names" in (CHART.parents[2] / "docs" / "infiniband.md").read_text()
