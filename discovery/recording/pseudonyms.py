"""Other names for everything, by a key: the same thing gets the same one everywhere, and nobody without the key finds
the way back.

What structure tells stays: which GUIDs and MACs are of one vendor, their kind and last digit, so that those that belong
together still do; a GUID that a driver made of a MAC stays made of that MAC; of a name its numbers and signs, and which
words are the same. GUIDs and MACs are renamed by permutations, so no two of them are renamed alike.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from dataclasses import dataclass, field
from ipaddress import IPv6Address, ip_address
from uuid import UUID

_WORD_OR_NUMBER = re.compile(r"[^\W\d_]+|\d+")
_HEX = re.compile(r"[0-9a-f]{12}(?:[0-9a-f]{4})?")
_ADDRESS = re.compile(r"(?<!\d)(\d{1,3})([.-])(\d{1,3})\2(\d{1,3})\2(\d{1,3})(?!\d)")
_FROM_MAC = (0xFFFE, 0x0300)
_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"
_ROUNDS = 6
LONG_NUMBER = 6
"""Digits of a number from which on it may be a serial number, and is renamed, too."""


@dataclass(frozen=True, slots=True)
class Pseudonyms:
    """By one key."""

    key: bytes = field(repr=False)

    def guid(self, value: int) -> int:
        """Of an EUI-64. Zero stays zero."""
        if not value:
            return 0
        vendor, middle = self._vendor(value >> 40), value >> 24 & 0xFFFF
        if middle in _FROM_MAC:
            return vendor << 40 | middle << 24 | self._station(value & 0xFFFFFF)
        return vendor << 40 | self._permuted(value >> 4 & 0xFFFFFFFFF, 36, "guid") << 4 | value & 0xF

    def mac(self, value: int) -> int:
        """Of a MAC. Zero, and addresses of groups of stations, stay as they are."""
        if not value or value >> 40 & 1:
            return value
        return self._vendor(value >> 24) << 24 | self._station(value & 0xFFFFFF)

    def uuid(self, text: str) -> str:
        """All zero stays so."""
        value = UUID(text)
        if not value.int:
            return text
        return str(UUID(bytes=self._digest("uuid", str(value))[:16]))

    def address(self, text: str) -> str:
        """Of an IP address, of the same family, among those that are private."""
        address = ip_address(text)
        if address.is_unspecified or address.is_loopback:
            return text
        if isinstance(address, IPv6Address):
            low = self._digest("address", str(address))[:8]
            return str(IPv6Address(0xFD << 120 | int.from_bytes(low, "big")))
        return str(
            ip_address(0x0A << 24 | self._permuted(int(address) & 0xFFFFFF, 24, f"address {int(address) >> 24}"))
        )

    def name(self, text: str) -> str:
        """Of a host or switch, or of anything that people call something."""
        lower = text.lower()
        if _HEX.fullmatch(lower):
            return self.hexadecimal(lower)
        text = _ADDRESS.sub(self._octets, text)
        return _WORD_OR_NUMBER.sub(lambda found: self._part(found[0]), text)

    def hexadecimal(self, digits: str) -> str:
        """A MAC or a GUID without signs between its digits; other digits are a serial number of some kind."""
        if len(digits) == 12:
            return f"{self.mac(int(digits, 16)):012x}"
        if len(digits) == 16:
            return f"{self.guid(int(digits, 16)):016x}"
        drawn = self._digest("hexadecimal", digits).hex()
        return (drawn * (len(digits) // len(drawn) + 1))[: len(digits)]

    def _part(self, part: str) -> str:
        if part[0].isdecimal():
            return self._number(part) if len(part) >= LONG_NUMBER else part
        return self._word(part)

    def _word(self, word: str) -> str:
        """Six letters, or as many as the word has; in its case."""
        drawn = self._digest("word", word.lower())
        letters = (
            _CONSONANTS[drawn[place % 32] % len(_CONSONANTS)]
            if place % 2 == 0
            else _VOWELS[drawn[place % 32] % len(_VOWELS)]
            for place in range(max(6, len(word)))
        )
        made = "".join(letters)
        return made.upper() if word.isupper() else made

    def _number(self, digits: str) -> str:
        drawn = int.from_bytes(self._digest("number", digits), "big")
        return str(drawn)[: len(digits)].rjust(len(digits), "7")

    def _octets(self, found: re.Match[str]) -> str:
        parts = (found[1], found[3], found[4], found[5])
        if any(int(part) > 255 for part in parts):
            return found[0]
        return self.address(".".join(str(int(part)) for part in parts)).replace(".", found[2])

    def _vendor(self, value: int) -> int:
        """Of an OUI; whether it is of a group, and given by a local administrator, stays."""
        first, kept = value >> 16, value >> 16 & 3
        new = self._permuted((first >> 2) << 16 | value & 0xFFFF, 22, "vendor")
        return (new >> 16) << 18 | kept << 16 | new & 0xFFFF

    def _station(self, value: int) -> int:
        return self._permuted(value >> 4, 20, "mac") << 4 | value & 0xF

    def _permuted(self, value: int, bits: int, purpose: str) -> int:
        """A permutation of the numbers of so many bits (a Feistel network)."""
        half = bits // 2
        mask = (1 << half) - 1
        left, right = value >> half, value & mask
        for turn in range(_ROUNDS):
            drawn = int.from_bytes(self._digest(f"{purpose} {turn}", str(right))[:8], "big")
            left, right = right, left ^ drawn & mask
        return left << half | right

    def _digest(self, purpose: str, text: str) -> bytes:
        return hmac.new(self.key, f"{purpose}\0{text}".encode("utf-8", "surrogateescape"), hashlib.sha256).digest()
