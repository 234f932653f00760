"""Drawn adapters: the files below `class/infiniband` and `class/net` of a node, as the kernel would show them."""

from __future__ import annotations

ROOT = "class/infiniband"


def adapter(name: str, **files: str) -> dict[str, bytes]:
    """An adapter with one healthy NDR port; files are named with `__` for `/`."""
    given = {
        "node_guid": "b83f:d203:00ab:cd10",
        "sys_image_guid": "b83f:d203:00ab:cd10",
        "node_type": "1: CA",
        "ports__1__state": "4: ACTIVE",
        "ports__1__phys_state": "5: LinkUp",
        "ports__1__rate": "400 Gb/sec (4X NDR)",
        "ports__1__link_layer": "InfiniBand",
        "ports__1__gids__0": "fe80:0000:0000:0000:b83f:d203:00ab:cd12",
    } | files
    return {f"{ROOT}/{name}/{path.replace('__', '/')}": f"{text}\n".encode() for path, text in given.items()}


def ethernet(name: str, interface: str, **files: str) -> dict[str, bytes]:
    """An adapter with one healthy RoCE port of 200 Gb/s, and its interface."""
    told = {
        "ports__1__link_layer": "Ethernet",
        "ports__1__rate": "200 Gb/sec (4X HDR)",
        "ports__1__gid_attrs__ndevs__0": interface,
        f"device__net__{interface}__mtu": "1500",
        "device__vendor": "0x15b3",
        "device__device": "0xa2dc",
    }
    return adapter(name, **told | files) | nic(interface, infiniband=name)


def nic(name: str, *, silicon: str = "0xa2dc", infiniband: str | None = None, **files: str) -> dict[str, bytes]:
    """A physical network interface, and the RDMA device of its function if it shows one."""
    told = {"device__vendor": "0x15b3", "device__device": silicon, "dev_port": "0"}
    if infiniband:
        told[f"device__infiniband__{infiniband}__node_guid"] = "0"
    return {
        f"class/net/{name}/{path.replace('__', '/')}": f"{text}\n".encode() for path, text in (told | files).items()
    }


def bond(name: str, *members: str) -> dict[str, bytes]:
    """A bond of interfaces."""
    return {
        f"class/net/{name}/bonding/slaves": f"{' '.join(members)}\n".encode(),
        "class/net/bonding_masters": f"{name}\n".encode(),
    }
