"""What cannot be of several keys together is told at one of them, with its value and where that came from."""

from __future__ import annotations

import pytest

from cli.ending import CommandError
from cli.processes.edge_settings import AgentOptions
from cli.processes.loading import Given, load


def test_a_refusal_of_two_keys_names_one_with_value_and_origin() -> None:
    flags = {"sampling.quick": Given("0.5", "--set"), "health.sampleSpacing": Given("5", "HYPERSCOUT_X")}
    with pytest.raises(CommandError) as caught:
        load(AgentOptions, None, {}, flags)
    assert str(caught.value).startswith("sampling.quick: '0.5' from --set cannot be used: it must be no shorter than")


def test_a_key_that_nobody_gave_is_named_too() -> None:
    with pytest.raises(CommandError) as caught:
        load(AgentOptions, None, {}, {"health.sampleSpacing": Given("50", "--set")})
    assert str(caught.value).startswith("sampling.quick: it must be no shorter than health.sampleSpacing")
