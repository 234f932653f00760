"""Settings: where they come from, which of them counts, and what is said of those that cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.ending import BAD_INPUT, CommandError
from cli.processes.loading import Given, leaves, load, read_assignments
from cli.processes.reference import reference
from cli.processes.sections import split_address
from cli.processes.settings import ControllerOptions, SchedulerOptions
from controller.settings import ControllerSettings
from scheduler.settings import SchedulerSettings
from tests.architecture.sources import ROOT

NOTHING: dict[str, str] = {}


def refusal(file: Path | None = None, environment: dict[str, str] = NOTHING, *assignments: str) -> str:
    """What is said of controller settings that cannot be used."""
    with pytest.raises(CommandError) as caught:
        load(ControllerOptions, file, environment, read_assignments(assignments))
    assert caught.value.code == BAD_INPUT
    return caught.value.sentence


def written(folder: Path, text: str) -> Path:
    path = folder / "hyperscout.yaml"
    path.write_text(text)
    return path


def test_without_any_the_rooms_own_defaults_count() -> None:
    assert load(ControllerOptions, None, {}, {}).settings() == ControllerSettings()
    assert load(SchedulerOptions, None, {}, {}).settings() == SchedulerSettings()


def test_a_flag_goes_before_the_environment_and_this_before_the_file(tmp_path: Path) -> None:
    text = (
        "debounce: {quiet: 2, longest: 20}\ntimes:\n  lookAgain: 7\nsweepers: [ib-a, ib-b]\ntree: {nvlinkTier: off}\n"
    )
    environment = {"HYPERSCOUT_DEBOUNCE_QUIET": "3", "HYPERSCOUT_DEBOUNCE_LONGEST": "30", "HOME": "/"}
    flags = {"debounce.quiet": Given("4", "--set")}
    found = load(ControllerOptions, written(tmp_path, text), environment, flags).settings()
    assert (found.debounce.quiet, found.debounce.longest, found.times.look_again) == (4.0, 30.0, 7.0)
    assert found.sweepers == ("ib-a", "ib-b")
    assert found.tree.nvlink_tier is False


def test_a_table_of_tiers_is_a_mapping_in_the_file_and_words_elsewhere(tmp_path: Path) -> None:
    low = {"leaf": 1, "spine": 2, "core": 3}
    file = written(tmp_path, "adopt: [rack-1]\ntree: {tiers: {leaf: 1, spine: 2, core: 3}, migrateTiers: true}\n")
    found = load(ControllerOptions, file, {}, {}).settings()
    assert (found.tree.tiers, found.migrate_tiers, found.adopt) == (low, True, ("rack-1",))
    environment = {"HYPERSCOUT_TREE_TIERS": "leaf=1, spine=2,core=3", "HYPERSCOUT_ADOPT": "rack-1,rack-2"}
    found = load(ControllerOptions, None, environment, {}).settings()
    assert (found.tree.tiers, found.migrate_tiers, found.adopt) == (low, False, ("rack-1", "rack-2"))


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ("leaf=1,spine=2", "must number at least leaf, spine and core"),
        ("leaf=2,spine=1,core=3", "leaf is 2, spine is 1"),
        ("nvlink=0,leaf=1,spine=2,core=3", "must start at 1"),
        ("leaf=one,spine=2,core=3", "the number of tier leaf is 'one'; a table is written leaf=1,spine=2,core=3"),
        ("rack=1,leaf=2,spine=3,core=4", "unknown tier 'rack'"),
        ("leaf", "the number of tier leaf is ''"),
    ],
)
def test_a_table_of_tiers_that_is_none_is_refused(table: str, why: str) -> None:
    assert why in refusal(None, {"HYPERSCOUT_TREE_TIERS": table})


def test_a_tier_of_nvlink_domains_needs_a_number() -> None:
    said = refusal(None, NOTHING, "tree.tiers=leaf=1,spine=2,core=3", "tree.nvlinkTier=on")
    assert "needs a number below that of leaf" in said


def test_the_file_may_be_named_by_the_environment_and_lists_have_commas_there(tmp_path: Path) -> None:
    environment = {
        "HYPERSCOUT_CONFIG": str(written(tmp_path, "log: {level: debug}")),
        "HYPERSCOUT_SCHEDULING_SCHEDULER_NAMES": "hyperscout, volcano",
        "HYPERSCOUT_LOG_FORMAT": "",
    }
    found = load(SchedulerOptions, None, environment, {})
    assert (found.log.level, found.log.format) == ("debug", "auto")
    assert found.settings().scheduler_names == {"hyperscout", "volcano"}


def test_what_the_kubelet_sets_for_services_and_what_our_other_processes_know_is_left_alone() -> None:
    environment = {
        "HYPERSCOUT_CONTROLLER_SERVICE_HOST": "10.0.0.1",
        "HYPERSCOUT_CONTROLLER_SERVICE_PORT_METRICS": "8461",
        "HYPERSCOUT_CONTROLLER_PORT": "tcp://10.0.0.1:8461",
        "HYPERSCOUT_CONTROLLER_PORT_8461_TCP_ADDR": "10.0.0.1",
        "HYPERSCOUT_SCHEDULING_RESYNC": "5",
    }
    assert load(ControllerOptions, None, environment, {}) == ControllerOptions()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("debounce: {quite: 2}", ["debounce.quite", "2", "hyperscout.yaml", "did you mean debounce.quiet?"]),
        ("debounce: 2", ["debounce", "2", "hyperscout.yaml"]),
        ("times: {lookAgain: soon}", ["times.lookAgain", "'soon'", "hyperscout.yaml", "number"]),
        ("times: {lookAgain: -1}", ["times.lookAgain", "-1", "greater than 0"]),
        ("times: {lookAgain: .inf}", ["times.lookAgain", "inf", "finite"]),
        ("limits: {staleReports: 2}", ["limits.staleReports", "2", "less than or equal to 1"]),
        ("http: {listen: here}", ["http.listen", "'here'", "HOST:PORT"]),
        ("lease: {duration: 5}", ["lease.duration", "5", "retryPeriod must be shorter", "hyperscout.yaml"]),
        ("adopt: [rack-1, A_b]", ["adopt", "'A_b' can be no object's name"]),
        ("nodes: {labels: [foo]}", ["nodes.labels", "'foo' is none of hyperscout, topograph and TIER=KEY"]),
        ("[1, 2]", ["hyperscout.yaml", "mapping"]),
        ("a: [", ["hyperscout.yaml", "no YAML"]),
        ("2026-01-01: x", ["2026-01-01", "no such key"]),
    ],
)
def test_what_the_file_says_wrongly_is_named_with_its_origin(tmp_path: Path, text: str, words: list[str]) -> None:
    sentence = refusal(written(tmp_path, text))
    assert [word for word in words if word not in sentence] == [], sentence
    assert "\n" not in sentence


def test_what_environment_and_flags_say_wrongly_is_named_with_its_origin(tmp_path: Path) -> None:
    misspelled = refusal(None, {"HYPERSCOUT_DEBOUNCE_QUITE": "1"})
    assert misspelled.startswith("HYPERSCOUT_DEBOUNCE_QUITE: '1' from the environment")
    assert "did you mean HYPERSCOUT_DEBOUNCE_QUIET?" in misspelled
    assert refusal(None, {"HYPERSCOUT_FOO": "1"}).endswith("no such setting; docs/reference/settings.md lists them")
    assert "debounce.quiet: 'x' from HYPERSCOUT_DEBOUNCE_QUIET" in refusal(None, {"HYPERSCOUT_DEBOUNCE_QUIET": "x"})
    assert "patience.moves: '0' from --set" in refusal(None, NOTHING, "patience.moves=0")
    assert "debounce: '1' from --set: there is no such key" in refusal(None, NOTHING, "debounce=1")
    assert "--set debounce.quiet: it is KEY=VALUE" in refusal(None, NOTHING, "debounce.quiet")
    assert "cannot be read" in refusal(tmp_path / "missing.yaml")


def test_every_field_of_the_rooms_settings_can_be_set_but_the_tiers() -> None:
    """A changed table of tiers is a migration."""
    controller = {leaf.key for leaf in leaves(ControllerOptions)}
    scheduler = {leaf.key for leaf in leaves(SchedulerOptions)}
    assert len([key for key in controller if key.startswith(("debounce.", "times.", "patience.", "limits."))]) == 12
    assert len([key for key in scheduler if key.startswith("scheduling.")]) == len(SchedulerSettings.__slots__)


@pytest.mark.parametrize(
    ("text", "address"),
    [("127.0.0.1:0", ("127.0.0.1", 0)), ("[::1]:8461", ("::1", 8461)), (":8461", ("", 8461))],
)
def test_addresses(text: str, address: tuple[str, int]) -> None:
    assert split_address(text) == address


def test_the_page_of_settings_is_the_one_that_the_models_make() -> None:
    page = (ROOT / "docs" / "reference" / "settings.md").read_text()
    assert page == reference(), "python -m cli.processes.reference > docs/reference/settings.md"
