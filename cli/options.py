"""What every command's options have in common: each is given once, unless it may be repeated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typer.core import TyperCommand, TyperOption

from cli.ending import CommandError

if TYPE_CHECKING:
    from typer._click.core import Context  # the type in the signature that is overridden


class OnceEach(TyperCommand):
    """A command that refuses an option that is given twice, of which otherwise the last one would count silently."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """As every command does it, after a look at the order of what was given."""
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        for option in order:
            if not isinstance(option, TyperOption) or option.is_flag or option.type_descriptor.is_list:
                continue
            if order.count(option) > 1:
                raise CommandError(f"{max(option.opts, key=len)} is given twice, and only one can count; give it once")
        return super().parse_args(ctx, args)
