"""Life beside Volcano: who else writes HyperNodes, and whether its scheduler looks at them at all.

Volcano's configuration is in ConfigMaps whose names end as below, in the namespace that it is installed in.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import yaml

from cli.doctor.finding import Finding, fine, named, unknown, wrong
from kube.client import Client
from kube.errors import Forbidden
from kube.records import ConfigMap
from kube.requests import Selection
from kube.resources import CONFIG_MAPS, HYPER_NODES
from topology.documents import SOURCE, SOURCE_LABEL

SCHEDULER, CONTROLLER = "scheduler-configmap", "controller-configmap"
PLUGIN = "network-topology-aware"


async def look_at_writers(client: Client) -> list[Finding]:
    """Whose HyperNodes there are."""
    if not await client.serves(HYPER_NODES):
        return []
    listed = (await client.list(HYPER_NODES)).items
    count = Counter(found.metadata.labels.get(SOURCE_LABEL, "nobody's label") for found in listed)
    others = [f"{number:,} of {source}" for source, number in sorted(count.items()) if source != SOURCE]
    if not others:
        return [fine("writers", f"{count[SOURCE]:,} HyperNodes, all of hyperscout")]
    advice = "nodes that their leaves hold are left out of ours; take them over with the setting adopt, or delete them"
    if not count[SOURCE]:
        return [fine("writers", f"HyperNodes of others only: {named(others)}")]
    return [wrong("writers", f"beside {count[SOURCE]:,} HyperNodes of hyperscout there are {named(others)}", advice)]


async def look_at_volcano(client: Client, namespace: str) -> list[Finding]:
    """What Volcano's configuration says of HyperNodes."""
    try:
        found = (await client.list(CONFIG_MAPS, Selection(namespace))).items
    except Forbidden:
        what = f"the ConfigMaps of {namespace} are not for us to read"
        return [unknown("volcano", what, "ask as somebody who may list configmaps there")]
    maps = {suffix: one for suffix in (SCHEDULER, CONTROLLER) for one in found if one.metadata.name.endswith(suffix)}
    if not maps:
        return [fine("volcano", f"no Volcano is configured in {namespace}")]
    findings = [_discovery(maps[CONTROLLER])] if CONTROLLER in maps else []
    return [*findings, *([_plugin(maps[SCHEDULER])] if SCHEDULER in maps else [])]


def _plugin(found: ConfigMap) -> Finding:
    name = str(found.metadata.key)
    for text in found.data.values():
        tiers = _mapping(text).get("tiers") or ()
        plugins = {plugin.get("name") for tier in tiers for plugin in tier.get("plugins") or ()}
        if PLUGIN in plugins:
            return fine("volcano", f"Volcano's scheduler uses the plugin {PLUGIN}")
    what = f"Volcano's scheduler ignores HyperNodes: ConfigMap {name} lacks the plugin {PLUGIN}"
    return wrong("volcano", what, f"add `- name: {PLUGIN}` to a tier's plugins there")


def _discovery(found: ConfigMap) -> Finding:
    name = str(found.metadata.key)
    entries = [entry for text in found.data.values() for entry in _mapping(text).get("networkTopologyDiscovery") or ()]
    sources = [str(entry.get("source")) for entry in entries if entry.get("enabled")]
    if not sources:
        return fine("volcano", "Volcano's own discovery of HyperNodes is off")
    advice = f"disable it in ConfigMap {name} and delete its HyperNodes, or do not run hyperscout's controller"
    return wrong("volcano", f"Volcano discovers HyperNodes itself ({named(sources)}), beside hyperscout", advice)


def _mapping(text: str) -> dict[str, Any]:
    """A YAML mapping; empty for anything else, which is no configuration of the kind that is looked for."""
    try:
        read = yaml.safe_load(text)
    except yaml.YAMLError:
        return {}
    return read if isinstance(read, dict) else {}
