"""Secrets come from files alone; what is wrong with them is told without them."""

from __future__ import annotations

import pytest

from discovery.errors import EvidenceError
from discovery.snmp.credentials import AuthPriv, Community, read_credentials
from discovery.source import Fixture

V3 = {"user": b"sweeper\n", "auth-password": b"authpass123", "priv-password": b"privpass123\n"}


def mounted(**files: bytes) -> Fixture:
    """The folder `secret`, as a mounted Secret shows it."""
    return Fixture({f"secret/{name.replace('_', '-')}": content for name, content in files.items()})


def test_a_community_is_the_content_of_its_file_without_the_line_end() -> None:
    assert read_credentials(mounted(community=b"only-switches\n"), "secret") == Community("only-switches")


def test_a_user_has_two_passwords_and_protocols_that_need_not_be_named() -> None:
    found = read_credentials(Fixture({f"secret/{name}": content for name, content in V3.items()}), "secret")
    assert found == AuthPriv("sweeper", "SHA", "authpass123", "AES", "privpass123")


@pytest.mark.parametrize("auth", ["SHA", "sha-224", "SHA-256", "SHA-384", "SHA-512"])
@pytest.mark.parametrize("privacy", ["AES", "aes-128", "AES-192", "AES-256", "AES-192-C", "AES-256-C"])
def test_every_protocol_makes_a_user_of_the_client(auth: str, privacy: str) -> None:
    files = V3 | {"auth-protocol": auth.encode(), "priv-protocol": privacy.encode()}
    found = read_credentials(Fixture({f"secret/{name}": content for name, content in files.items()}), "secret")
    assert isinstance(found, AuthPriv)
    assert found.as_user().name == "sweeper"


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({"other": b"x"}, "secret holds neither a file `community`"),
        ({"community": b"hidden", "user": b"u"}, "secret holds both a community and a user"),
        ({"community": b"\n"}, "secret/community: it is empty"),
        ({"community": b"\xff\xfe"}, "secret/community: it is empty, or no plain text"),
        ({"community": b"two\nlines"}, "secret/community: it is empty, or no plain text"),
        ({"community": b"x" * 2000}, "secret/community"),
        (
            {"user": b"u", "auth_password": b"hidden-1", "priv_password": b"short"},
            "secret/priv-password: a password of 8",
        ),
        ({"user": b"u", "auth_password": b"hidden-1"}, "secret/priv-password: a password of 8"),
        (
            {"user": b"u", "auth_password": b"hidden-1", "priv_password": b"hidden-2", "auth_protocol": b"MD5"},
            "secret/auth-protocol: this protocol is not one of SHA, SHA-224",
        ),
        (
            {"user": b"u", "auth_password": b"hidden-1", "priv_password": b"hidden-2", "priv_protocol": b"DES"},
            "secret/priv-protocol: this protocol is not one of AES, ",
        ),
    ],
)
def test_what_cannot_be_used_is_a_sentence_that_shows_no_secret(files: dict[str, bytes], sentence: str) -> None:
    with pytest.raises(EvidenceError) as caught:
        read_credentials(mounted(**files), "secret")
    assert str(caught.value).startswith(sentence)
    assert not any(word in str(caught.value) for word in ("hidden", "xxx", "MD5", "DES"))


def test_a_folder_that_is_not_there_is_a_sentence() -> None:
    with pytest.raises(EvidenceError) as caught:
        read_credentials(mounted(community=b"x"), "elsewhere")
    assert str(caught.value) == (
        "the folder elsewhere cannot be read: mount a Secret there with the file community (v2c), "
        "or with the files user, auth-password and priv-password (v3)"
    )


def test_no_representation_shows_a_secret() -> None:
    shown = repr((Community("hidden"), AuthPriv("user", "SHA", "hidden-1", "AES", "hidden-2")))
    assert "hidden" not in shown
