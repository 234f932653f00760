"""A real snmpd with lldpd's tables, asked by us and by an SNMP client that is not ours."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from discovery.health import Verdict
from discovery.probing import Probed
from discovery.reports import FAILED, FOUND, UP, SwitchReport
from discovery.snmp import Bounds, Credentials, Surroundings, SwitchTables, Target, ports_of, switch_report, walk_switch
from discovery.snmp.credentials import AuthPriv, Community
from tests.discovery.snmp.other_client import walk_with_pysnmp
from tests.discovery.snmp.switches import LLDP_REMOTE
from tests.lab.namespaces import PATIENCE, Lab, Machine, laid
from tests.lab.speaking import Speaker, Told, start_lldpd
from tests.lab.switching import ADDRESS, AUTH_PASSWORD, COMMUNITY, PORT, PRIV_PASSWORD, USER, serve_snmp

QUICK = Bounds(timeout=0.5, tries=1)
V3 = AuthPriv(USER, "SHA", AUTH_PASSWORD, "AES", PRIV_PASSWORD)


@pytest.fixture(scope="module")
def leaf() -> Iterator[Machine]:
    """A leaf with a host that speaks by its OS alone, one that has a second cable, and a spine."""
    with laid() as lab:
        yield _raise(lab)


def _raise(lab: Lab) -> Machine:
    leaf, spine, host = lab.machine("leaf-01"), lab.machine("spine-01"), lab.machine("gpu-01")
    for port, (far, far_port) in {"swp1": (host, "eth0"), "swp2": (host, "eth1"), "swp49": (spine, "swp7")}.items():
        lab.cable((leaf, port), (far, far_port))
    serve_snmp(lab, leaf)
    ports = {"swp1": Told("local", "Ethernet1/1", "swp1"), "swp2": Told("local", "1024", "swp2")}
    daemons = [
        start_lldpd(lab, leaf, Speaker("leaf-01", "a switch", ports), agentx=True),
        start_lldpd(lab, spine, Speaker("spine-01")),
        start_lldpd(lab, host, Speaker("gpu-01", switch=False)),
    ]
    for daemon in daemons:
        daemon.wait()
    end = time.monotonic() + PATIENCE
    while daemons[0].ask("show", "neighbors").count("SysName") < 3:
        assert time.monotonic() < end, "the leaf does not hear its neighbours"
        time.sleep(0.05)
    return leaf


async def walked(leaf: Machine, credentials: Credentials) -> Probed[SwitchTables]:
    with leaf.entered():
        return await walk_switch(Target(ADDRESS, PORT), credentials, QUICK)


def reported(probed: Probed[SwitchTables]) -> SwitchReport:
    assert probed.found is not None
    ports = ports_of(probed.found)
    return switch_report(probed.found, ports, {port.number: Verdict(port.link or UP) for port in ports}, Surroundings())


async def test_a_real_switch_becomes_a_report(leaf: Machine) -> None:
    probed = await walked(leaf, Community(COMMUNITY))
    assert (probed.outcome, probed.reason) == (FOUND, None)
    report = reported(probed)
    assert (report.description, report.portCount) == ("leaf-01", 3)
    assert report.chassisId in {line.split()[1] for line in leaf.run("ip", "link").splitlines() if "link/ether" in line}
    seen = {port.name: (port.portId, port.peer) for port in report.ports}
    assert {name: (own, peer and (peer.kind, peer.description, peer.portId)) for name, (own, peer) in seen.items()} == {
        "swp1": ("Ethernet1/1", ("Host", "gpu-01", "eth0")),
        "swp2": ("1024", ("Host", "gpu-01", "eth1")),
        "swp49": ("swp49", ("Switch", "spine-01", "swp7")),
    }


async def test_version_3_sees_what_version_2c_sees(leaf: Machine) -> None:
    assert reported(await walked(leaf, V3)) == reported(await walked(leaf, Community(COMMUNITY)))


@pytest.mark.filterwarnings("ignore:.* is deprecated:DeprecationWarning")  # pysnmp calls old names of pysmi
async def test_another_client_sees_the_same_neighbours(leaf: Machine) -> None:
    probed = await walked(leaf, Community(COMMUNITY))
    assert probed.found is not None
    with leaf.entered():
        rows = await walk_with_pysnmp(PORT, COMMUNITY, LLDP_REMOTE)
    names = {name.split(".")[-2]: value for name, value in rows.items() if name.startswith(f"{LLDP_REMOTE}.9.")}
    ids = {name.split(".")[-2]: value for name, value in rows.items() if name.startswith(f"{LLDP_REMOTE}.5.")}
    ours = {str(remote.port): remote for remote in probed.found.remotes}
    assert {port: (remote.system_name or "").encode() for port, remote in ours.items()} == names
    assert {port: bytes.fromhex((remote.chassis_id or "").replace(":", "")) for port, remote in ours.items()} == ids


@pytest.mark.parametrize(
    ("credentials", "reason"),
    [
        (Community("not-this-one"), "no answer"),
        (AuthPriv(USER, "SHA", "wrong-password", "AES", PRIV_PASSWORD), "the agent refuses the user"),
        (AuthPriv("nobody", "SHA", AUTH_PASSWORD, "AES", PRIV_PASSWORD), "the agent refuses the user"),
        (AuthPriv(USER, "SHA", AUTH_PASSWORD, "AES", "wrong-password"), "no answer"),
        (AuthPriv(USER, "SHA-256", AUTH_PASSWORD, "AES", PRIV_PASSWORD), "the agent refuses the user"),
    ],
)
async def test_what_the_agent_does_not_accept_is_told_and_not_shown(
    leaf: Machine, credentials: Credentials, reason: str
) -> None:
    probed = await walked(leaf, credentials)
    assert probed.outcome == FAILED
    assert (probed.reason or "").startswith(reason)
    assert "password" not in (probed.reason or "").replace("protocols and passwords", "")
    assert "password" not in repr(credentials).replace("auth_password", "")
