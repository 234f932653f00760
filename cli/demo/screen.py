"""What the demo prints: scenes, what is waited for, placements, refusals, differences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import ndiff

from rich.console import Console
from rich.markup import escape

from cli.demo.gangs import Job
from cli.output import write

_COLOURS = {"- ": "red", "+ ": "green"}


class Screen:
    """A terminal, or a file: without a terminal the same lines come without colour and without a spinner.

    A line is never broken or cropped, whatever the width: names are there to be copied.
    """

    def __init__(self, console: Console) -> None:
        self._console = console

    def show(self, markup: str) -> None:
        """Lines as rich's markup has them. CommandError where stdout takes no more."""
        with self._console.capture() as captured:
            self._console.print(markup, soft_wrap=True)
        write(captured.get())

    def scene(self, title: str, what: str) -> None:
        """A new scene begins."""
        self.show(f"\n[bold]{escape(title)}[/bold]: {escape(what)}")

    def note(self, text: str) -> None:
        """One line inside a scene."""
        self.show(f"  {escape(text)}")

    def done(self, text: str) -> None:
        """The scene held."""
        self.show(f"  [green]ok[/green] {escape(text)}")

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
                self.show(f"    [{_COLOURS[line[:2]]}]{escape(line)}[/]")

    def tree(self, tiers: Mapping[int, Mapping[str, Sequence[str]]], place: Callable[[Sequence[str]], str]) -> None:
        """The discovered tree, a line a HyperNode; `place` says in a word where nodes stand."""
        for root, all_nodes in tiers[3].items():
            self.note(f"{root}  (tier 3)  {len(all_nodes)} nodes")
            for row, nodes in tiers[2].items():
                self.note(f"  {row}  (tier 2)  {place(nodes)}, {len(nodes)} nodes")
                for rack, members in tiers[1].items():
                    if set(members) <= set(nodes):
                        self.note(f"    {rack}  (tier 1)  {place(members)}, {len(members)} nodes")
