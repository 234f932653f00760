"""Settings from file, environment and flags, the later before the earlier; what cannot be used is named, and whence."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from cli.ending import CommandError
from cli.processes.sections import RefusedKey, Section

Options = TypeVar("Options", bound=Section)

PREFIX = "HYPERSCOUT_"
FILE = "HYPERSCOUT_CONFIG"
SERVICE_LINK = re.compile(r"_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP|SCTP)(_\w+)?)?)$")
"""What the kubelet sets in every pod for a Service whose name begins like us."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One key."""

    key: str
    field: FieldInfo

    @property
    def variable(self) -> str:
        """Its name in the environment: `times.lookAgain` is HYPERSCOUT_TIMES_LOOK_AGAIN."""
        return PREFIX + re.sub(r"([a-z])([A-Z])", r"\1_\2", self.key).replace(".", "_").upper()


@dataclass(frozen=True, slots=True)
class Given:
    """A value, and where it came from in words."""

    value: object
    origin: str


def leaves(options: type[Section], prefix: str = "") -> Iterator[Leaf]:
    """All keys of a model, in its order."""
    for name, field in options.model_fields.items():
        key = prefix + (field.alias or name)
        if isinstance(field.annotation, type) and issubclass(field.annotation, Section):
            yield from leaves(field.annotation, key + ".")
        else:
            yield Leaf(key, field)


def load(
    options: type[Options], file: Path | None, environment: Mapping[str, str], flags: Mapping[str, Given]
) -> Options:
    """The settings; CommandError says which value from where cannot be used."""
    path = file or (Path(environment[FILE]) if environment.get(FILE) else None)
    known = {leaf.key: leaf for leaf in leaves(options)}
    given = _from_file(path, options) if path is not None else {}
    given |= _from_environment(environment, known)
    given |= flags
    for key, found in given.items():
        if key not in known:
            raise CommandError(f"{key}: {found.value!r} from {found.origin}: there is no such key{_near(key, known)}")
    try:
        return options.model_validate(_nested(given))
    except ValidationError as error:
        raise CommandError("; ".join(_sentences(error, given))) from error


def read_assignments(assignments: Sequence[str]) -> dict[str, Given]:
    """The values of `--set KEY=VALUE`."""
    found = {}
    for assignment in assignments:
        key, equals, value = assignment.partition("=")
        if not equals or not key:
            raise CommandError(f"--set {assignment}: it is KEY=VALUE, as docs/reference/settings.md lists them")
        found[key.strip()] = Given(value, "--set")
    return found


def _from_file(path: Path, options: type[Section]) -> dict[str, Given]:
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise CommandError(f"the settings file {path} cannot be read: {reason}") from error
    except yaml.YAMLError as error:
        raise CommandError(f"the settings file {path} is no YAML: {' '.join(str(error).split())}") from error
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise CommandError(
            f"the settings file {path} holds no keys: {type(document).__name__} where a mapping should be"
        )
    return dict(_flat(document, options, "", str(path)))


def _flat(
    document: Mapping[Any, object], options: type[Section], prefix: str, origin: str
) -> Iterator[tuple[str, Given]]:
    """The keys of the sections that exist; what stands elsewhere stays whole and is refused by its name."""
    sections = {field.alias or name: field.annotation for name, field in options.model_fields.items()}
    for name, value in document.items():
        section = sections.get(name)
        if isinstance(value, dict) and isinstance(section, type) and issubclass(section, Section):
            yield from _flat(value, section, f"{prefix}{name}.", origin)
        elif value is not None:
            yield f"{prefix}{name}", Given(value, origin)


def _from_environment(environment: Mapping[str, str], known: Mapping[str, Leaf]) -> dict[str, Given]:
    """An empty variable counts as not set; those of our other processes are left to them."""
    keys = {leaf.variable: key for key, leaf in known.items()}
    ours = {name: value for name, value in sorted(environment.items()) if name.startswith(PREFIX)}
    unknown = [name for name in ours if name not in (FILE, *keys) and not SERVICE_LINK.search(name)]
    for name in unknown:
        if name not in _all_variables():
            raise CommandError(
                f"{name}: {ours[name]!r} from the environment: there is no such setting{_near(name, keys)}"
            )
    return {keys[name]: Given(value, name) for name, value in ours.items() if name in keys and value}


def _all_variables() -> frozenset[str]:
    """Those of every process. Their models are imported only when somebody asks: they are too large for the agent."""
    from cli.processes.edge_settings import AgentOptions
    from cli.processes.settings import ControllerOptions, SchedulerOptions
    from cli.processes.sweeper_settings import SweeperOptions

    every: tuple[type[Section], ...] = (AgentOptions, SweeperOptions, ControllerOptions, SchedulerOptions)
    return frozenset(leaf.variable for options in every for leaf in leaves(options))


def _near(name: str, names: Mapping[str, object]) -> str:
    """What is much like it, beside the prefix that all variables share."""
    bare = {one.removeprefix(PREFIX): one for one in names}
    found = difflib.get_close_matches(name.removeprefix(PREFIX), bare, 1, 0.75)
    return f"; did you mean {bare[found[0]]}?" if found else "; docs/reference/settings.md lists them"


def _nested(given: Mapping[str, Given]) -> dict[str, Any]:
    document: dict[str, Any] = {}
    for key, found in given.items():
        *sections, name = key.split(".")
        inner = document
        for section in sections:
            inner = inner.setdefault(section, {})
        inner[name] = found.value
    return document


def _sentences(error: ValidationError, given: Mapping[str, Given]) -> Iterator[str]:
    for one in error.errors(include_url=False):
        key = ".".join(str(part) for part in one["loc"] if isinstance(part, str))
        reason = one["msg"].removeprefix("Value error, ")
        refused = one.get("ctx", {}).get("error")
        if isinstance(refused, RefusedKey):
            key = refused.key
        below = {name: found for name, found in given.items() if name == key or name.startswith(key + ".")}
        if key in below:
            yield f"{key}: {below[key].value!r} from {below[key].origin} cannot be used: {reason}"
        else:
            values = ", ".join(f"{name} {found.value!r} from {found.origin}" for name, found in below.items())
            yield f"{key}: {reason} ({values})" if values else f"{key}: {reason}"
