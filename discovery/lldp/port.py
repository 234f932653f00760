"""The raw socket of one interface: CAP_NET_RAW is all it takes, and nothing is made promiscuous."""

from __future__ import annotations

import fcntl
import socket
import struct
from dataclasses import dataclass

from discovery.lldp.frames import ETHERTYPE, MAX_FRAME

GROUPS = tuple(bytes.fromhex(f"0180c20000{last}") for last in ("0e", "03", "00"))
"""Where LLDP is sent to: nearest bridge, nearest bridge that is no relay, nearest customer bridge (802.1AB, 7.1)."""

# From the kernel's linux/if_packet.h, linux/sockios.h and linux/if.h
_SOL_PACKET, _ADD_MEMBERSHIP, _STATISTICS, _MULTICAST = 263, 1, 6, 0
_GET_INDEX, _GET_FLAGS = 0x8933, 0x8913
_RUNNING = 0x40
_REQUEST = struct.Struct("16s24x")
_QUEUE = 1 << 16
"""Bytes that the kernel keeps of frames that nobody read yet; what comes on top of them it drops and counts."""


@dataclass(frozen=True, slots=True)
class Port:
    """One interface that is listened on."""

    name: str
    index: int
    """The kernel's number; another interface of that name has another."""
    socket: socket.socket

    def receive(self) -> tuple[bytes, int]:
        """The next frame, cut off one byte above what is read of any, and the packet type that the kernel gives it.
        Raises BlockingIOError where there is none, and OSError where the interface is down or gone."""
        frame, address = self.socket.recvfrom(MAX_FRAME + 1)
        return frame, address[2]

    def lost(self) -> int:
        """Frames that the kernel dropped since this was asked last."""
        return int(struct.unpack("II", self.socket.getsockopt(_SOL_PACKET, _STATISTICS, 8))[1])

    def is_there(self) -> bool:
        """Whether the interface is still the one that the socket was opened on."""
        try:
            return _index(self.socket, self.name) == self.index
        except OSError:
            return False

    def has_carrier(self) -> bool:
        """Whether there is a cable, as far as the driver knows."""
        try:
            flags = struct.unpack_from("H", _ask(self.socket, _GET_FLAGS, self.name), 16)[0]
        except OSError:
            return False
        return bool(flags & _RUNNING)


def open_port(name: str) -> Port:
    """Listen on the interface, in the network namespace of this thread. Raises OSError: no such interface, no right."""
    made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW | socket.SOCK_NONBLOCK, 0)  # deaf until it is bound
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _QUEUE)
        index = _index(made, name)
        for group in GROUPS:
            membership = struct.pack("@iHH8s", index, _MULTICAST, len(group), group)
            made.setsockopt(_SOL_PACKET, _ADD_MEMBERSHIP, membership)
        made.bind((name, ETHERTYPE))
    except OSError:
        made.close()
        raise
    return Port(name, index, made)


def _index(asked: socket.socket, name: str) -> int:
    return int(struct.unpack_from("i", _ask(asked, _GET_INDEX, name), 16)[0])


def _ask(asked: socket.socket, what: int, name: str) -> bytes:
    """Of the namespace that the socket belongs to, wherever this thread is."""
    return fcntl.ioctl(asked, what, _REQUEST.pack(name.encode()))
