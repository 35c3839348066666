"""What passes between the protocol and a caller's desk, whatever the era.

A desk answers a call with data and lines, or with a form: a question that the client
puts to its person, and whose answer comes back with the same call and its state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Protocol

from vitrine.edge.tools import Tool

Told = tuple[dict[str, Any], str]
"""Structured content, and the same as lines."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One call of a tool.

    ``forms`` tells whether the client can put a form to its person. ``filled`` is
    what the person entered, None where they declined; ``state`` is what came with
    the form, None at the first call.
    """

    name: str
    arguments: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    forms: bool = False
    filled: Mapping[str, Any] | None = None
    state: str | None = None


@dataclass(frozen=True, slots=True)
class Form:
    """A question with its options, by name and label; ``state`` is opaque."""

    message: str
    name: str
    options: Mapping[str, str]
    state: str

    def schema(self) -> dict[str, Any]:
        """Give the flat schema that clients can show."""
        titled = [{"const": key, "title": label} for key, label in self.options.items()]
        one = {"type": "string", "title": self.message, "oneOf": titled}
        return {
            "type": "object",
            "properties": {self.name: one},
            "required": [self.name],
        }


class Agent(Protocol):
    """What one verified caller may do through tools."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """List the caller's tools, in a fixed order."""
        ...

    @property
    def withheld(self) -> Mapping[str, str]:
        """Name the tools that another scope would open, each with that scope."""
        ...

    def call(self, asked: Asked) -> Told | Form:
        """Run a tool; raise a ``Problem`` to refuse."""
        ...

    def mark(self) -> str:
        """Draw a mark that no stored text can know."""
        ...
