"""Makes the schemas of settings in the chart's values of the models: `python -m cli.processes.schema FILE`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from cli.processes.edge_settings import AgentOptions
from cli.processes.sections import Section
from cli.processes.settings import ControllerOptions, SchedulerOptions
from cli.processes.sweeper_settings import SweeperOptions

Schema = dict[str, Any]

PROCESSES: dict[str, type[Section]] = {
    "agent": AgentOptions,
    "sweeper": SweeperOptions,
    "controller": ControllerOptions,
    "scheduler": SchedulerOptions,
}


def settings_schemas() -> dict[str, Schema]:
    """A JSON Schema of each process's settings file, by the name `<process>Settings`."""
    return {f"{name}Settings": _schema(options) for name, options in PROCESSES.items()}


def _schema(options: type[Section]) -> Schema:
    whole = options.model_json_schema()
    schema: Schema = _plain(whole, whole.get("$defs", {}))
    return schema


def _plain(schema: Any, definitions: Schema) -> Any:  # noqa: ANN401 - any part of a JSON document
    """Sections in their place, without the names of our classes."""
    match schema:
        case {"$ref": str(reference)}:
            return _plain(definitions[reference.rpartition("/")[2]], definitions)
        case {"properties": dict(properties)}:
            kept = {name: _plain(value, definitions) for name, value in properties.items()}
            return _without(schema, "title", "$defs", "default", "properties") | {"properties": kept}
        case {"enum": list(words)} if "off" in words:  # YAML reads on and off as truth values
            truths = [truth for word, truth in (("on", True), ("off", False)) if word in words]
            return _without(schema, "title", "type") | {"enum": [*words, *truths]}
        case dict():
            return {key: _plain(value, definitions) for key, value in _without(schema, "title").items()}
        case list():
            return [_plain(value, definitions) for value in schema]
        case _:
            return schema


def _without(schema: Schema, *keys: str) -> Schema:
    return {key: value for key, value in schema.items() if key not in keys}


def main(file: Path) -> None:
    """Write them into the file, and leave the rest of it."""
    document = json.loads(file.read_text(encoding="utf-8"))
    document["$defs"] |= settings_schemas()
    file.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
