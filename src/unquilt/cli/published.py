"""`--as-published`: the parameters that bring back what a paper defines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from unquilt.cli.options import usage_error


@dataclass(frozen=True)
class Published:
    """What a paper has; of parameters that are `free`, the paper varies them, so that others are no contradiction."""

    parameters: Mapping[str, Any]
    free: Sequence[str] = ()

    def say(self, name: str) -> str:
        """A parameter as an option."""
        option, value = name.replace("_", "-"), self.parameters[name]
        if isinstance(value, bool):
            return f"--{option}" if value else f"--no-{option}"
        return f"--{option} {value}".removesuffix(".0")

    @property
    def option(self) -> Callable[[Any], Any]:
        """The option `--as-published`, which says what it means."""
        meaning = " ".join(map(self.say, self.parameters))
        return click.option("--as-published", is_flag=True, help=f"As in the paper: {meaning}.")

    def complete(self, given: dict[str, Any]) -> dict[str, Any]:
        """What was given, with the parameters of the paper; refuses what contradicts them."""
        for name, value in self.parameters.items():
            if name not in self.free and given.get(name, value) != value:
                other = f"{self.say(name).partition(' ')[0]} {given[name]}"
                contradiction = f"--as-published (which means {self.say(name)}) and {other}"
                raise usage_error(f"{contradiction} contradict each other; leave one out")
        return {**self.parameters, **given}
