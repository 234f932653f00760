"""An Ethernet port finds the interfaces that have its cables: its own, or both members of its bond, and no other's."""

from __future__ import annotations

from tests.discovery.sysfs.adapters import adapter, bond, ethernet, nic
from tests.discovery.sysfs.test_devices import read

NO_GIDS = {"ports__1__gid_attrs__ndevs__0": ""}


def test_a_port_of_its_own_has_the_interface_of_its_first_gid() -> None:
    devices = read(ethernet("mlx5_0", "eth0") | ethernet("mlx5_1", "eth1"))
    assert devices.interfaces == {("mlx5_0", 1): ("eth0",), ("mlx5_1", 1): ("eth1",)}
    assert devices.rdma_devices == {"eth0": "mlx5_0", "eth1": "mlx5_1"}
    assert devices.bonds == {}


def test_without_gids_it_is_the_one_interface_of_the_same_function() -> None:
    devices = read(ethernet("mlx5_0", "eth0", **NO_GIDS))
    assert devices.interfaces == {("mlx5_0", 1): ("eth0",)}


def test_without_gids_two_ports_of_one_function_are_told_apart_by_their_number() -> None:
    files = ethernet("mlx4_0", "eth0", ports__2__link_layer="Ethernet", ports__2__state="4: ACTIVE", **NO_GIDS)
    files |= nic("eth1", dev_port="1", infiniband="mlx4_0") | adapter("mlx4_0", device__net__eth1__mtu="1500")
    files |= {"class/infiniband/mlx4_0/ports/1/link_layer": b"Ethernet\n"}
    assert read(files).interfaces == {("mlx4_0", 1): ("eth0",), ("mlx4_0", 2): ("eth1",)}


def test_a_bond_that_is_one_device_has_the_cables_of_both_members() -> None:
    """`mlx5_bond_0`: the second function shows no RDMA device of its own."""
    files = ethernet("mlx5_bond_0", "eth0", ports__1__gid_attrs__ndevs__0="bond0") | nic("eth1")
    devices = read(files | bond("bond0", "eth0", "eth1"))
    assert devices.interfaces == {("mlx5_bond_0", 1): ("eth0", "eth1")}
    assert devices.bonds == {("mlx5_bond_0", 1): "bond0"}
    assert devices.rdma_devices == {"eth0": "mlx5_bond_0", "eth1": "mlx5_bond_0"}


def test_members_with_devices_of_their_own_keep_their_own_cables() -> None:
    files = ethernet("mlx5_0", "eth0") | ethernet("mlx5_1", "eth1") | bond("bond0", "eth0", "eth1")
    devices = read(files)
    assert devices.interfaces == {("mlx5_0", 1): ("eth0",), ("mlx5_1", 1): ("eth1",)}
    assert devices.bonds == {("mlx5_0", 1): "bond0", ("mlx5_1", 1): "bond0"}


def test_a_member_of_other_silicon_is_no_cable_of_the_device() -> None:
    files = ethernet("mlx5_bond_0", "eth0", ports__1__gid_attrs__ndevs__0="bond0")
    files |= nic("eth1") | nic("eno1", silicon="0x1563") | bond("bond0", "eth0", "eth1", "eno1")
    assert read(files).interfaces == {("mlx5_bond_0", 1): ("eth0", "eth1")}


def test_what_a_switch_on_the_nic_shows_for_its_functions_is_no_interface_of_the_port() -> None:
    files = ethernet("mlx5_0", "eth0", **NO_GIDS)
    for number in range(3):
        shown = nic(f"eth0_{number}", phys_port_name=f"pf0vf{number}")
        files |= shown | adapter("mlx5_0", **{f"device__net__eth0_{number}__mtu": "1500"})
    files |= {"class/net/eth0/phys_port_name": b"p0\n", "class/infiniband/mlx5_0/ports/1/link_layer": b"Ethernet\n"}
    assert read(files).interfaces == {("mlx5_0", 1): ("eth0",)}


def test_a_vlan_in_the_gid_table_stands_for_the_interface_below_it() -> None:
    files = ethernet("mlx5_0", "eth0", ports__1__gid_attrs__ndevs__0="eth0.100") | {"class/net/eth0.100/mtu": b"1500\n"}
    assert read(files).interfaces == {("mlx5_0", 1): ("eth0",)}


def test_a_port_whose_interface_is_nowhere_is_told_without_one() -> None:
    files = adapter("mlx5_0", ports__1__link_layer="Ethernet", ports__1__gid_attrs__ndevs__0="../../etc/passwd")
    devices = read(files)
    assert [port.linkLayer for port in devices.ports] == ["Ethernet"]
    assert devices.interfaces == {}


def test_of_a_device_with_planes_the_ports_with_an_interface_count() -> None:
    """A ConnectX-8 of four planes: twelve ports, data on 3, 6, 9 and 12."""
    ports: dict[str, str] = {}
    for port in range(1, 13):
        ports[f"ports__{port}__link_layer"] = "Ethernet"
        ports[f"ports__{port}__state"] = "1: DOWN" if port % 3 else "4: ACTIVE"
        ports[f"ports__{port}__phys_state"] = "3: Disabled" if port % 3 else "5: LinkUp"
        ports[f"ports__{port}__gid_attrs__ndevs__0"] = "" if port % 3 else f"eth0_p{port // 3 - 1}"
    files = adapter("mlx5_0", **ports)
    for plane in range(4):
        files |= nic(f"eth0_p{plane}", infiniband="mlx5_0", dev_port=str(plane))
    devices = read(files)
    assert [port.port for port in devices.ports] == [3, 6, 9, 12]
    assert devices.interfaces == {("mlx5_0", 3 * (plane + 1)): (f"eth0_p{plane}",) for plane in range(4)}
    files["class/infiniband/mlx5_0/ports/6/state"] = b"1: DOWN\n"
    assert [port.port for port in read(files).ports] == [3, 6, 9, 12], "a plane that lost its cable is still a port"
