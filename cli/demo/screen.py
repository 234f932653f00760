"""What the demo prints: scenes, what is waited for, placements, refusals, differences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import ndiff

from rich.console import Console
from rich.markup import escape
from rich.tree import Tree

from cli.demo.gangs import Job

_COLOURS = {"- ": "red", "+ ": "green"}


class Screen:
    """A terminal, or a file: without a terminal the same lines come without colour and without a spinner."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def scene(self, title: str, what: str) -> None:
        """A new scene begins."""
        self._console.print(f"\n[bold]{escape(title)}[/bold]: {escape(what)}", soft_wrap=True)

    def note(self, text: str) -> None:
        """One line inside a scene."""
        self._console.print(f"  {escape(text)}", soft_wrap=True)

    def done(self, text: str) -> None:
        """The scene held."""
        self._console.print(f"  [green]ok[/green] {escape(text)}", soft_wrap=True)

    @contextmanager
    def waiting(self, text: str) -> Iterator[None]:
        """Show what is waited for while it is."""
        if self._console.is_terminal:
            with self._console.status(escape(text)):
                yield
        else:
            yield

    def placed(self, job: Job, where: str) -> None:
        """A gang and where it is."""
        self.note(f"{job.name:<15} {job.pods:>3} pods in {where}")

    def refused(self, job: Job, explanation: str) -> None:
        """A gang and why it is not placed."""
        self.note(f"{job.name} is refused:")
        for sentence in explanation.replace(". Tier", ".\nTier").split("\n"):
            self.note(f"  {sentence}")

    def difference(self, name: str, before: Sequence[str], after: Sequence[str]) -> None:
        """What changed in an object, line by line."""
        self.note(f"HyperNode {name}:")
        for line in ndiff(before, after):
            if line[:2] in _COLOURS:
                self._console.print(f"    [{_COLOURS[line[:2]]}]{escape(line)}[/]", soft_wrap=True)

    def tree(self, tiers: Mapping[int, Mapping[str, Sequence[str]]]) -> None:
        """The discovered tree, a line a HyperNode."""
        (root, _), *_ = tiers[3].items()
        shown = Tree(f"  {root}  (tier 3)")
        for row, nodes in tiers[2].items():
            branch = shown.add(f"{row}  (tier 2)  {len(nodes)} nodes")
            for rack, members in tiers[1].items():
                if set(members) <= set(nodes):
                    first, last = ("-".join(name.split("-")[-3:]) for name in (members[0], members[-1]))
                    branch.add(f"{rack}  (tier 1)  …{first} to {last}")
        self._console.print(shown, no_wrap=True, crop=False, overflow="ignore")
