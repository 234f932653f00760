"""A sweeper of an Ethernet fabric as the chart installs it."""

from __future__ import annotations

import json

import yaml

from tests.deploy.rendering import CHART, identity, rendered


def test_a_sweeper_of_ethernet_has_no_privileges_and_a_secret_to_ask_with() -> None:
    roce = {"sweep": {"kind": "ethernet"}, "snmp": {"targets": ["10.0.0.0/24"]}}
    values = [{"name": "roce", "snmpSecret": "roce-snmp", "settings": roce}]
    objects = rendered(CHART, f"--set-json=sweepers={json.dumps(values)}")
    (pod,) = [
        thing["spec"]["template"]["spec"]
        for thing in objects
        if identity(thing)[::2] == ("Deployment", "hyperscout-sweeper-roce")
    ]
    (container,) = pod["containers"]
    assert (pod["securityContext"]["runAsNonRoot"], container["securityContext"]["privileged"]) == (True, False)
    assert {"name": "snmp", "secret": {"secretName": "roce-snmp"}} in pod["volumes"]
    (settings,) = [
        yaml.safe_load(thing["data"]["settings.yaml"])
        for thing in objects
        if thing["kind"] == "ConfigMap" and thing["metadata"]["name"].startswith("hyperscout-sweeper-roce")
    ]
    assert settings["snmp"] == {"targets": ["10.0.0.0/24"], "credentials": "/etc/hyperscout-snmp"}
    assert {"name": "snmp", "mountPath": "/etc/hyperscout-snmp", "readOnly": True} in container["volumeMounts"]
