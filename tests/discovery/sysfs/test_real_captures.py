"""What real nodes show, as the index of the captures says."""

from __future__ import annotations

from pathlib import Path

from discovery.samples import Counters
from discovery.source import Tree
from discovery.sysfs import Devices, read_devices
from tests.discovery.sysfs.adapters import ROOT
from tests.discovery.sysfs.test_devices import found


def rooted(devices: Path, folder: Path) -> Devices:
    """What one look at the capture finds."""
    (folder / "class").mkdir()
    (folder / ROOT).symlink_to(devices)
    return found(read_devices(Tree(folder)))


def test_a_real_h100_node_has_eight_ndr_ports_and_its_ethernet_bond(shared_data: Path, tmp_path: Path) -> None:
    devices = rooted(shared_data / "sysfs/h100", tmp_path)
    fast = [port for port in devices.ports if (port.linkLayer, port.width, port.speed) == ("InfiniBand", 4, "NDR")]
    assert [port.device for port in fast] == [f"mlx5_{number}" for number in (0, 1, 4, 5, 6, 7, 8, 9)]
    assert all((port.state, port.physicalState) == ("Active", "LinkUp") for port in fast)
    bond = next(port for port in devices.ports if port.device == "mlx5_bond_0")
    assert (bond.linkLayer, bond.nodeGuid, bond.portGuid) == ("Ethernet", None, None)
    assert (bond.width, bond.speed) == (2, "NDR"), "the rate of one rail"


def test_the_overrun_counter_of_a_real_port_stands_at_its_end_and_is_unknown(shared_data: Path, tmp_path: Path) -> None:
    """It says 15, which is all that its four bits hold."""
    devices = rooted(shared_data / "sysfs/h100", tmp_path)
    assert devices.counters["mlx5_0", 1] == Counters(
        symbol_errors=0, link_error_recovery=0, link_downed=0, receive_errors=14, local_link_integrity_errors=0
    )
    assert devices.counters["mlx5_bond_0", 1] == Counters(receive_errors=0)


def test_several_ports_missing_files_and_other_makers_stand_side_by_side(shared_data: Path, tmp_path: Path) -> None:
    devices = rooted(shared_data / "sysfs/mixed", tmp_path)
    assert [(port.device, port.port, port.linkLayer, port.speed) for port in devices.ports] == [
        ("hfi1_0", 1, "OmniPath", "EDR"), ("mlx4_0", 1, "InfiniBand", "QDR"), ("mlx4_0", 2, "InfiniBand", "QDR"),
        ("mlx5_0", 1, "InfiniBand", "EDR"),
    ]  # fmt: skip
    assert devices.ports[3].nodeGuid == "0a7fbc1245efd23b"
    assert {port.systemImageGuid for port in devices.ports} == {None}
    assert set(devices.counters) == {("mlx4_0", 1), ("mlx4_0", 2), ("mlx5_0", 1)}


def test_a_physical_state_whose_number_and_name_disagree_is_unknown(shared_data: Path, tmp_path: Path) -> None:
    """The capture says `4: ACTIVE` of it, which is a logical state."""
    port = rooted(shared_data / "sysfs/mixed", tmp_path).ports[3]
    assert (port.state, port.physicalState) == ("Active", None)
