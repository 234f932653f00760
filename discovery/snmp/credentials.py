"""What switches want to know before they answer: a community (v2c), or a user with two passwords (v3 authPriv).

They are files of a mounted Secret, one a key, read before every sweep. Nothing here puts a secret into a text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from discovery.errors import AbsentSourceError, EvidenceError, UnreadableSourceError
from discovery.source import Source

if TYPE_CHECKING:
    from gufo.snmp import User

MAX_SECRET = 1024
"""Bytes of one file."""
LEAST_PASSWORD = 8
"""Characters (RFC 3414, 11.2)."""
AUTH = {
    "SHA": "Sha1Key", "SHA-224": "Sha224Key", "SHA-256": "Sha256Key", "SHA-384": "Sha384Key", "SHA-512": "Sha512Key",
}  # fmt: skip
"""Authentication protocols, and the classes of gufo-snmp for their keys."""
PRIVACY = {
    "AES": "Aes128Key", "AES-128": "Aes128Key", "AES-192": "Aes192Key", "AES-256": "Aes256Key",
    "AES-192-C": "Aes192Key", "AES-256-C": "Aes256Key",
}  # fmt: skip
"""Privacy protocols; those with -C lengthen short keys as Cisco does."""


class CredentialsError(EvidenceError):
    """The files say nothing that a switch could be asked with."""


@dataclass(frozen=True, slots=True)
class Community:
    """SNMP v2c."""

    community: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class AuthPriv:
    """SNMP v3, authenticated and encrypted."""

    user: str
    auth_protocol: str = "SHA"
    auth_password: str = field(default="", repr=False)
    priv_protocol: str = "AES"
    priv_password: str = field(default="", repr=False)

    def as_user(self) -> User:
        """As gufo-snmp takes it."""
        import gufo.snmp as gufo

        expansion = gufo.KeyExpansion.Cisco if self.priv_protocol.endswith("-C") else gufo.KeyExpansion.Blumenthal
        return gufo.User(
            self.user,
            auth_key=getattr(gufo, AUTH[self.auth_protocol])(self.auth_password.encode()),
            priv_key=getattr(gufo, PRIVACY[self.priv_protocol])(self.priv_password.encode()),
            key_expansion=expansion,
        )


Credentials = Community | AuthPriv


def read_credentials(source: Source, folder: str) -> Credentials:
    """What the files `community`, or `user`, `auth-password`, `priv-password`, `auth-protocol` (else SHA) and
    `priv-protocol` (else AES) in the folder say.

    Raises CredentialsError.
    """
    try:
        names = set(source.names(folder))
    except AbsentSourceError as error:
        raise CredentialsError(f"the folder {folder} cannot be read: {_WANTED}") from error
    except UnreadableSourceError as error:
        raise CredentialsError(str(error)) from error
    said = {name: _read(source, folder, name) for name in sorted(names & _FILES)}
    if "community" in said and "user" in said:
        raise CredentialsError(f"{folder} holds both a community and a user; keep the one that the switches know")
    if "community" in said:
        return Community(said["community"])
    if "user" not in said:
        raise CredentialsError(f"{folder} holds neither a file `community` nor a file `user`: {_WANTED}")
    return _user(folder, said)


_WANTED = (
    "mount a Secret there with the file community (v2c), or with the files user, auth-password and priv-password (v3)"
)
_FILES = {"community", "user", "auth-protocol", "auth-password", "priv-protocol", "priv-password"}


def _user(folder: str, said: Mapping[str, str]) -> AuthPriv:
    for name in ("auth-password", "priv-password"):
        if len(said.get(name, "")) < LEAST_PASSWORD:
            raise CredentialsError(f"{folder}/{name}: a password of {LEAST_PASSWORD} characters or more is wanted")
    return AuthPriv(
        user=said["user"],
        auth_protocol=_known(folder, "auth-protocol", said.get("auth-protocol", "SHA"), AUTH),
        auth_password=said["auth-password"],
        priv_protocol=_known(folder, "priv-protocol", said.get("priv-protocol", "AES"), PRIVACY),
        priv_password=said["priv-password"],
    )


def _known(folder: str, name: str, protocol: str, known: Mapping[str, str]) -> str:
    spelled = protocol.upper()
    if spelled not in known:
        raise CredentialsError(f"{folder}/{name}: this protocol is not one of {', '.join(known)}")
    return spelled


def _read(source: Source, folder: str, name: str) -> str:
    try:
        text = source.read(f"{folder}/{name}", MAX_SECRET).decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError:
        text = ""
    except UnreadableSourceError as error:
        raise CredentialsError(f"{folder}/{name} cannot be read") from error
    if not text or not text.isprintable():
        raise CredentialsError(f"{folder}/{name}: it is empty, or no plain text")
    return text
