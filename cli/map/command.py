"""The `map` command itself: its arguments, and which form the answer takes."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from topology.conclude import Conclusion


class Form(StrEnum):
    """The forms of the answer."""

    TREE = "tree"
    JSON = "json"
    YAML = "yaml"
    DOT = "dot"


Paths = Annotated[
    list[str],
    typer.Argument(
        metavar="PATH",
        help="Files that ibnetdiscover wrote, or - for standard input. Several are several scans: planes, subnets, or "
        "one fabric seen from two ports.",
        show_default=False,
    ),
]
Nodes = Annotated[
    str | None,
    typer.Option(
        "--nodes",
        metavar="FILE|REGEX",
        help="Which hosts are nodes of the cluster: a file (or - for standard input) with one name a line, else a "
        "regular expression in the syntax of RE2 that is searched in host names, in upper or lower case. Without it "
        "every named host is a node.",
        show_default=False,
    ),
]
Output = Annotated[
    Form,
    typer.Option("--output", "-o", help="tree for people, json for scripts, yaml for kubectl apply, dot for graphviz."),
]


def map_fabric(paths: Paths, nodes: Nodes = None, output: Output = Form.TREE) -> None:
    """Show how the nodes are wired: the HyperNodes of captured scans, and every anomaly in the cabling."""
    from cli.concluding import conclude_paths
    from cli.output import write
    from cli.progress import phase

    conclusion = conclude_paths(paths, nodes)
    if output is Form.YAML and nodes is None:
        from cli.map.manifests import say_who_is_a_member

        say_who_is_a_member(conclusion)
    if output in (Form.YAML, Form.DOT):
        from cli.remarks import say_what_was_found

        say_what_was_found(conclusion)
    with phase("writing"):
        text = _rendered(conclusion, output)
    write(text)


def _rendered(conclusion: Conclusion, form: Form) -> str:
    """The renderers are imported one at a time, so that a form costs nothing to those who use another."""
    match form:
        case Form.TREE:
            from cli.map.tree import to_tree

            return to_tree(conclusion)
        case Form.JSON:
            from cli.map.document import to_json

            return to_json(conclusion)
        case Form.YAML:
            from cli.map.manifests import to_yaml

            return to_yaml(conclusion)
        case Form.DOT:
            from cli.map.dot import to_dot

            return to_dot(conclusion)
