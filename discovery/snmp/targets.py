"""Whom to ask: names, addresses and networks as an operator writes them. Pure; names are resolved elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

PORT = 161


@dataclass(frozen=True, slots=True, order=True)
class Target:
    """One host to ask: an address, or a name that may stand for several."""

    host: str
    port: int = PORT

    @property
    def is_address(self) -> bool:
        """Whether it needs no resolving."""
        return _is_address(self.host)

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORT else f"{host}:{self.port}"


class TooManyTargetsError(ValueError):
    """The words mean more hosts than are allowed."""


def read_targets(words: Iterable[str], most: int, port: int = PORT) -> tuple[Target, ...]:
    """All that the words mean, each once: `10.0.0.0/24`, `10.0.0.0/24:1161`, `10.0.0.7:1161`, `[2001:db8::7]:1161`,
    `leaf-01.example`.

    Raises ValueError with a sentence: a word that is none of these, or more than `most` hosts in all.
    """
    found = dict[Target, None]()
    for word in words:
        for target in _targets(word.strip(), most, port):
            found[target] = None
        if len(found) > most:
            raise TooManyTargetsError(f"the targets up to {word} are more than {_most(most)}")
    return tuple(found)


def _targets(word: str, most: int, port: int) -> Iterator[Target]:
    if "/" in word:
        network, own = _split_network(word, port)
        for address in _network(network, most).hosts():
            yield Target(str(address), own)
        return
    if _is_address(word):
        yield Target(str(ip_address(word)), port)
        return
    host, own = _split(word, port)
    if not _is_address(host) and not _is_name(host):
        raise ValueError(f"{word!r} is no host to ask: give an address, a network such as 10.0.0.0/24, or a DNS name")
    yield Target(str(ip_address(host)) if _is_address(host) else host.lower(), own)


def _network(word: str, most: int) -> IPv4Network | IPv6Network:
    try:
        network = ip_network(word, strict=False)
    except ValueError as error:
        raise ValueError(f"{word!r} is no network: {error}") from error
    if network.num_addresses > most + 2:
        raise TooManyTargetsError(f"{word} holds {network.num_addresses:,} addresses, more than {_most(most)}")
    return network


def _most(most: int) -> str:
    return f"the {most:,} hosts that are asked at most; name fewer, or smaller networks"


def _split_network(word: str, port: int) -> tuple[str, int]:
    """`network/length:port`, `[network/length]:port`, `[network]/length:port` or a network alone."""
    address, _, rest = word.partition("/")
    length, colon, own = rest.partition(":")
    if address.startswith("["):
        address, length = address.strip("[]"), length.removesuffix("]")
    return f"{address}/{length}", _port(word, own) if colon else port


def _split(word: str, port: int) -> tuple[str, int]:
    """`host:port`, `[address]:port` or a host alone."""
    host, colon, own = word.rpartition(":")
    if not colon:
        return word, port
    return host.removeprefix("[").removesuffix("]"), _port(word, own)


def _port(word: str, own: str) -> int:
    if not (own.isascii() and own.isdecimal()) or len(own) > 5 or not 0 < int(own) < 65536:
        raise ValueError(f"{word!r}: a port is a number from 1 to 65535 behind the last colon")
    return int(own)


def _is_name(host: str) -> bool:
    """A name whose last label is a number is an address that is misspelt: no domain is called so (RFC 3696, 2)."""
    labels = host.rstrip(".").split(".")
    return (
        len(host) <= 253
        and not labels[-1].isdecimal()
        and all(
            0 < len(label) <= 63 and label.isascii() and label.replace("-", "").replace("_", "").isalnum()
            for label in labels
        )
    )


def _is_address(host: str) -> bool:
    with suppress(ValueError):
        ip_address(host)
        return True
    return False
