"""Which servers the proxies of the environment are for."""

from __future__ import annotations

import pytest

from kube.connection import connect_to


@pytest.mark.parametrize(
    ("server", "local"),
    [
        ("http://127.0.0.1:8001", True),
        ("http://user:password@127.0.0.1:8001", True),
        ("https://localhost:6443", True),
        ("https://[::1]:6443", True),
        ("https://10.0.0.1:6443", False),
        ("https://cluster.example", False),
    ],
)
def test_a_server_on_this_machine_needs_no_proxy(server: str, local: bool) -> None:
    assert connect_to(server).is_local is local


def test_a_password_in_the_url_is_not_part_of_its_address() -> None:
    assert connect_to("http://us:secret@127.0.0.1:8080").address == "http://127.0.0.1:8080"
    assert connect_to("https://[::1]:6443/path").address == "https://[::1]:6443/path"
