"""What a driver tells of an interface: its speeds, and the errors that no correction could repair.

Errors are asked for over netlink, where each kind has one meaning for all drivers (IEEE 802.3). A driver that knows
nothing of that is asked for the statistics that it names itself. What a driver refuses is not asked again.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from pyroute2.netlink import ctrlmsg

from discovery.netlink import messages, private
from discovery.netlink.links import Driver, Modes
from discovery.netlink.modes import understand
from discovery.netlink.talking import Conversation
from discovery.samples import Counters

Question = Callable[[int, int], bytes]
"""Made for the family `ethtool` and the number of an interface."""
_REFUSALS = (errno.EOPNOTSUPP, errno.EINVAL, errno.ENOENT, errno.EPERM)


@dataclass(slots=True)
class Ethtool:
    """Asks the drivers of interfaces, over one socket."""

    talk: Conversation
    drivers: dict[int, Driver] = field(default_factory=dict)
    """By the number of the interface."""
    _family: int | None = None

    def modes(self, index: int) -> Modes | None:
        """The speeds; None where the driver does not tell."""
        answer = self._ask(messages.link_modes, index)
        try:
            return understand(answer) if answer is not None else None
        except messages.UNDECODABLE:
            return None

    def errors(self, name: str, index: int) -> Counters:
        """Symbol errors, and the blocks that forward error correction gave up."""
        driver = self.drivers.get(index)
        if driver is not None and driver.places is not None:
            counters = private.read(name, driver.places)
            if counters is None:
                del self.drivers[index]
            return counters or Counters()
        symbols = _number(self._ask(messages.phy_statistics, index), symbol_errors)
        blocks = _number(self._ask(messages.fec_statistics, index), uncorrectable_blocks)
        if driver is None and symbols is None and blocks is None and (places := private.find(name)) is not None:
            self.drivers[index] = replace(self.drivers.get(index, Driver()), places=places)
            return private.read(name, places) or Counters()
        self.drivers.setdefault(index, Driver())
        return Counters(symbol_errors=symbols, uncorrectable_blocks=blocks)

    def _ask(self, question: Question, index: int) -> bytes | None:
        driver = self.drivers.get(index, Driver())
        if question.__name__ in driver.refused:
            return None
        try:
            if self._family is None:
                self._family = _family(self.talk)
            return next(self.talk.ask(question(self._family, index)), None)
        except OSError as error:
            if error.errno in _REFUSALS:
                refused = driver.refused | {question.__name__}
                self.drivers[index] = replace(driver, refused=refused)
            return None


def _family(talk: Conversation) -> int:
    """The number of the family `ethtool`; 0, which answers nothing, where this kernel has none."""
    try:
        answer = next(talk.ask(messages.ethtool_family()), None)
    except OSError:
        return 0
    return messages.decoded(ctrlmsg, answer).get("CTRL_ATTR_FAMILY_ID") or 0 if answer else 0


def _number(answer: bytes | None, understood: Callable[[bytes], int | None]) -> int | None:
    try:
        value = understood(answer) if answer is not None else None
    except messages.UNDECODABLE:
        return None
    return None if value == 2**64 - 1 else value


def symbol_errors(answer: bytes) -> int | None:
    """Of the answer to `messages.phy_statistics`; mlx5 calls it `rx_symbol_err_phy`."""
    for group in messages.every(messages.decoded(messages.Statistics, answer), "ETHTOOL_A_STATS_GRP"):
        for statistic in messages.every(group, "ETHTOOL_A_STATS_GRP_STAT"):
            if (value := messages.told(statistic, "ETHTOOL_A_STATS_ETH_PHY_5_SYM_ERR", int)) is not None:
                return value
    return None


def uncorrectable_blocks(answer: bytes) -> int | None:
    """Of the answer to `messages.fec_statistics`: the sum over all lanes, which stands first."""
    statistics = messages.inner(messages.decoded(messages.FecMode, answer), "ETHTOOL_A_FEC_STATS")
    counted = messages.told(statistics, "ETHTOOL_A_FEC_STAT_UNCORR", bytes) or b""
    return int.from_bytes(counted[:8], "little") if len(counted) >= 8 else None
