"""One look at the network interfaces of a node."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from discovery.errors import EvidenceError
from discovery.netlink import messages
from discovery.netlink.announced import Announced, read_announced
from discovery.netlink.ethtool import Ethtool
from discovery.netlink.links import Link, Links, Modes
from discovery.netlink.talking import GENERIC, HEAD, ROUTE, Conversation
from discovery.probing import Probed, absent, failed, found
from discovery.samples import Counters
from discovery.source import Source
from discovery.sysfs.attributes import natural, number
from discovery.sysfs.classes import class_names
from discovery.sysfs.interfaces import INTERFACES, is_physical

NAME = "netlink"
MAX_LINKS = 128
_INDEX = struct.Struct("=i")
_AT_INDEX = HEAD.size + 4


def read_links(sys: Source, before: Links | None = None) -> Probed[Links]:
    """The physical network interfaces; `sys` is rooted at sysfs (`/sys`), `before` is what the last look found.

    Where netlink cannot be spoken the probe has failed; so it has where the list of interfaces in sysfs cannot be read
    and none is known from before, for only sysfs tells which of them a cable goes into. A driver that does not answer
    leaves its values unknown.
    """
    before = before or Links()
    try:
        with Conversation(ROUTE) as route:
            dump = list(route.ask(messages.every_link()))
        with Conversation(GENERIC) as generic:
            ethtool = Ethtool(generic, dict(before.drivers))
            seen = Seen(sys, ethtool, before)
            links = seen.links(dump)
    except OSError as error:
        return failed(NAME, f"cannot ask the kernel for its interfaces: {error.strerror or error}")
    if not links.by_name and seen.untold:
        return failed(NAME, seen.untold)
    if not links.by_name:
        return absent(NAME, "no network interface has a cable of its own")
    return found(NAME, links, seen.reason)


@dataclass(slots=True)
class Seen:
    """Makes links of what the kernel tells."""

    sys: Source
    ethtool: Ethtool
    before: Links = field(default_factory=Links)
    reason: str | None = None
    untold: str | None = None
    """Why sysfs does not tell of some interface whether a cable goes into it."""

    def links(self, dump: Iterable[bytes]) -> Links:
        """Of the kernel's answer, those interfaces that a cable goes into."""
        by_index = {_INDEX.unpack_from(data, _AT_INDEX)[0]: data for data in dump if len(data) >= _AT_INDEX + 4}
        cabled: dict[str, Announced] = {}
        others, bad, hidden = set(), 0, False
        for index, data in by_index.items():
            if index in self.before.others:
                others.add(index)
                continue
            announced = read_announced(data)
            if announced is None:
                bad += 1
            elif not announced.ethernet:
                others.add(index)
            elif self._is_known(announced.name, index) or is_physical(self.sys, announced.name):
                cabled[announced.name] = announced
            elif self._is_there(announced.name):
                others.add(index)
            else:
                hidden = True
        self.untold = self._without_list() if hidden else None
        self.reason = _reason(len(cabled), bad, self.untold)
        links = [self._link(cabled[name], by_index) for name in sorted(cabled, key=natural)[:MAX_LINKS]]
        numbers = {link.ifindex for link in links}
        drivers = {index: driver for index, driver in self.ethtool.drivers.items() if index in numbers}
        return Links(by_name={link.name: link for link in links}, others=frozenset(others), drivers=drivers)

    def _is_known(self, name: str, index: int) -> bool:
        """Whether a cable went into it at the last look."""
        last = self.before.by_name.get(name)
        return last is not None and last.ifindex == index

    def _is_there(self, name: str) -> bool:
        """Not so while it is being renamed, or made."""
        try:
            return bool(self.sys.names(f"{INTERFACES}/{name}"))
        except EvidenceError:
            return False

    def _without_list(self) -> str | None:
        """Why there is no list of interfaces; None where there is one."""
        try:
            class_names(self.sys, INTERFACES)
        except EvidenceError as error:
            return f"cannot tell which interfaces have a cable: {error}"
        return None

    def _link(self, announced: Announced, dump: Mapping[int, bytes]) -> Link:
        up, carrier = announced.up, announced.carrier
        link = Link(
            name=announced.name,
            ifindex=announced.index,
            mac=announced.mac,
            up=up,
            carrier=bool(carrier) if up and carrier is not None else None,
            carrier_changes=announced.carrier_changes,
            carrier_down_count=announced.carrier_down_count,
            bond=_bond(announced.master, dump),
        )
        return replace(link, modes=self._modes(link), counters=self._counters(link))

    def _modes(self, link: Link) -> Modes:
        """As they were, while the link has not changed since."""
        last = self.before.by_name.get(link.name)
        if last is not None and _state(last) == _state(link) and (last.speed is not None or not link.carrier):
            return last.modes
        modes = self.ethtool.modes(link.ifindex) or Modes()
        if modes.speed is None and link.carrier:
            modes = replace(modes, speed=number(self.sys, f"{INTERFACES}/{link.name}/speed") or None)
        return modes if link.carrier else replace(modes, speed=None, lanes=None)

    def _counters(self, link: Link) -> Counters:
        return replace(self.ethtool.errors(link.name, link.ifindex), link_downed=link.carrier_down_count)


def _bond(master: int | None, dump: Mapping[int, bytes]) -> str | None:
    """The name of the master, where that is a bond and no bridge."""
    announced = read_announced(dump[master]) if master is not None and master in dump else None
    return announced.name if announced is not None and announced.is_bond else None


def _state(link: Link) -> tuple[object, ...]:
    return link.ifindex, link.up, link.carrier, link.carrier_changes


def _reason(count: int, bad: int, untold: str | None) -> str | None:
    reasons = [f"{count} interfaces, of which {MAX_LINKS} are read"] if count > MAX_LINKS else []
    reasons += [f"{bad} interfaces that could not be understood"] if bad else []
    reasons += [untold] if untold else []
    return "; ".join(reasons) or None
