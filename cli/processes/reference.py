"""Makes docs/reference/settings.md of the models: `python -m cli.processes.reference > docs/reference/settings.md`."""

from __future__ import annotations

from collections.abc import Iterator

from cli.output import write
from cli.processes.edge_settings import AgentOptions
from cli.processes.loading import FILE, Leaf, leaves
from cli.processes.sections import Section
from cli.processes.settings import ControllerOptions, SchedulerOptions
from cli.processes.sweeper_settings import SweeperOptions

INTRODUCTION = f"""\
# Settings of the processes

Each value comes from the first of these that gives it: a flag, the environment, the settings file, the default.

- **Flags**: `--set KEY=VALUE`, as often as needed; `--kubeconfig`, `--namespace` and `--listen` are short for the keys
  `cluster.kubeconfig`, `cluster.namespace` and `http.listen`.
- **Environment**: the variables below. An empty one counts as not set; one that begins with `HYPERSCOUT_` and is not
  known is refused.
- **File**: YAML, named by `--config FILE` or `{FILE}`; the dots of a key are levels.

Lists are written with commas between in flags and the environment. Times are seconds. What is not known or cannot be
used ends the process at its start with exit code 2 and a sentence that names key, value and origin.
"""


def reference() -> str:
    """The text of the page."""
    parts = [
        INTRODUCTION,
        *_table("agent", AgentOptions),
        *_table("sweeper", SweeperOptions),
        *_table("controller", ControllerOptions),
        *_table("scheduler", SchedulerOptions),
    ]
    return "\n".join(parts) + "\n"


def _table(process: str, options: type[Section]) -> Iterator[str]:
    yield f"## `hyperscout {process}`\n"
    yield "| key | environment | default | meaning |\n|---|---|---|---|"
    for leaf in leaves(options):
        yield f"| `{leaf.key}` | `{leaf.variable}` | {_default(leaf)} | {leaf.field.description} |"
    yield ""


def _default(leaf: Leaf) -> str:
    value = leaf.field.default
    if value is None:
        return ""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, dict):
        value = tuple(f"{name}={number}" for name, number in value.items())
    text = ",".join(value) if isinstance(value, tuple) else f"{value:g}" if isinstance(value, float) else str(value)
    return f"`{text}`" if text else ""


if __name__ == "__main__":
    write(reference())
