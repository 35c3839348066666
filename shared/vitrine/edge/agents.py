"""One verified caller's tools, answered by the same functions as HTTP.

Tenant, account, person and profile come from the token, never from an argument.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any, Protocol

from vitrine.caller import Caller, Surface
from vitrine.edge import arguments, calls, describing, finding, reading, tools, writing
from vitrine.edge.exchange import Asked, Form, Told
from vitrine.edge.finding import Bench
from vitrine.edge.http import preferred
from vitrine.edge.wiring import Wiring
from vitrine.problems import Fault, Forbidden, Invalid
from vitrine.registry.profiles import Registry
from vitrine.store.replay import Once, once

FORM = "form"
"""The only member of a kept form; an answer of a tool has a note instead."""
SHOWN = 64
"""Lists of tools that an environment keeps: one for each set of published sources."""


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """Sources as one kind of token sees them; alike while none is published anew."""

    registries: tuple[Registry, ...]

    @property
    def key(self) -> tuple[tuple[Any, ...], ...]:
        """Name each source with the profile and version that it is seen in."""
        return tuple(
            (r.tenant, r.source, r.profile, r.version) for r in self.registries
        )

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shown) and self.key == other.key


@lru_cache(SHOWN)
def _listed(shown: Shown, *, writes: bool) -> tuple[tools.Tool, ...]:
    return tools.tools(shown.registries, writes=writes)


@lru_cache(SHOWN)
def _withheld(shown: Shown) -> Mapping[str, str]:
    return tools.withheld(shown.registries)


_WRITING = {tools.LOG: writing.log, tools.UNDO: writing.undo}


@dataclass(frozen=True, slots=True)
class Desk:
    """What a caller may do, with every source that their scopes cover."""

    wiring: Wiring
    caller: Caller
    registries: Mapping[str, Registry]

    @property
    def tools(self) -> tuple[tools.Tool, ...]:
        """List the caller's tools, in a fixed order."""
        return _listed(self._shown, writes=tools.WRITE in self.caller.scopes)

    @property
    def withheld(self) -> Mapping[str, str]:
        """Name the tools that another scope would open."""
        if tools.WRITE in self.caller.scopes:
            return {}
        return _withheld(self._shown)

    @property
    def _shown(self) -> Shown:
        return Shown(tuple(self.registries.values()))

    @property
    def _sight(self) -> str:
        """Name what the caller may see at this moment.

        A token that sees less than the one before must not find the other's answer:
        its retry is a call of its own.
        """
        return _digest(json.dumps([self._shown.key, sorted(self.caller.scopes)]))

    def mark(self) -> str:
        """Draw a mark that no stored text can know."""
        return self.wiring.mark()

    def call(self, asked: Asked) -> Told | Form:
        """Run a tool that was listed; raise a ``Problem`` to refuse."""
        number = calls.request_id(asked.arguments)
        # A note has an id of its own, which the customer's database keeps for good.
        if number is None or asked.name in _WRITING:
            return self._answer(asked)
        kept = once(
            self.wiring.table,
            _numbered(self.caller, f"{number} {self._sight}", asked),
            lambda: _packed(self._answer(asked)),
            now=self.wiring.now(),
        )
        return _unpacked(kept)

    def _answer(self, asked: Asked) -> Told | Form:
        name, given = asked.name, asked.arguments
        if name.startswith(tools.SEARCH):
            return finding.search(
                self._at(name.removeprefix(tools.SEARCH), given), given
            )
        if name in _WRITING:
            return _WRITING[name](self._at(tools.NOTES, given), given)
        if name == tools.ASK:
            meant = calls.sentence(given, self.registries)
            return finding.sentence(self._at(meant.source, given), asked, meant)
        return self._read(name, given)

    def _read(self, name: str, given: Mapping[str, Any]) -> Told:
        if name == tools.DESCRIBE:
            wanted = calls.describe(given, self.registries)
            return self._described(wanted, self._at(wanted.source, given))
        if name == tools.EXPLAIN:
            empty = calls.explain(given, self.registries)
            return finding.explain(self._at(empty.source, given), empty)
        if name == tools.RECORD:
            record = calls.record(given, self._whole())
            return reading.record(self._at(record.source, given), record)
        return reading.get(self._at(name.removeprefix(tools.GET), given), given)

    def _described(self, wanted: calls.Describe, bench: Bench) -> Told:
        language, nonce = bench.caller.language, self.mark()
        return describing.described(bench.registry, wanted.field, language, nonce=nonce)

    def _at(self, source: str, given: Mapping[str, Any]) -> Bench:
        language = arguments.language(given)
        return Bench.of(self.wiring, self.caller, self.registries[source], language)

    def _whole(self) -> list[str]:
        # A whole text is what a budget is there to hold back.
        return [name for name, r in self.registries.items() if r.budget is None]


def _numbered(caller: Caller, number: str, asked: Asked) -> Once:
    """Name a call, and each answer to its form, so that a retry finds its own."""
    said = json.dumps([asked.name, dict(asked.arguments)], sort_keys=True)
    if asked.forms or asked.state is not None:
        # The client without forms is told the question, and must never find a form.
        filled = dict(asked.filled) if asked.filled is not None else None
        round_ = json.dumps([asked.state, filled], sort_keys=True)
        number = f"{number} {_digest(round_)}"
    return Once(caller, number, _digest(said))


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _packed(told: Told | Form) -> Told:
    """Write a form as an answer that can be kept; its state is sealed already."""
    return ({FORM: asdict(told)}, "") if isinstance(told, Form) else told


def _unpacked(kept: Told) -> Told | Form:
    data, _ = kept
    return Form(**data[FORM]) if FORM in data else kept


def renamed(name: str, known: Mapping[str, Any]) -> Invalid | None:
    """Answer for a name that a tool has, or might have had, elsewhere."""
    stem, _, source = name.partition("_")
    ours = _FORMER.get(name) or _FORMER.get(f"{stem}_")
    if ours not in known:
        return None
    argument = f' with {{"source": "{source}"}}' if name not in _FORMER else ""
    said = f"{name} is called {ours} here{argument}"
    return Invalid([Fault("", "renamed", said, "Call it by that name.")])


_FORMER = {
    "describe_": tools.DESCRIBE,
    "explain_": tools.EXPLAIN,
    "ask_": tools.ASK,
    "fetch": tools.RECORD,
    "interpret": tools.ASK,
    "explain": tools.EXPLAIN,
    "describe": tools.DESCRIBE,
}
"""Names that agents try, and ours for the same."""


class Admission(Protocol):
    """Judge a request's headers; raise a ``Problem`` to turn it away."""

    def __call__(self, headers: Mapping[str, str]) -> Desk:
        """Give the caller's desk."""
        ...


def admission(wiring: Wiring) -> Admission:
    """Give the doorkeeper of an environment."""

    def admit(headers: Mapping[str, str]) -> Desk:
        language = preferred(headers.get("accept-language"))
        caller = wiring.caller(headers.get("authorization"), language, Surface.MCP)
        registries = {r.source: r for r in wiring.covered(caller)}
        if not registries:
            raise Forbidden("The token covers no source: ask for <source>:read.")
        return Desk(wiring, caller, registries)

    return admit
