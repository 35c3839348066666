"""One verified caller's tools, answered by the same functions as HTTP.

Tenant, account, person and profile come from the token, never from an argument.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from vitrine.caller import Caller, Surface
from vitrine.edge import arguments, tools
from vitrine.edge.conversation import Talk, narrow
from vitrine.edge.http import preferred
from vitrine.edge.lines import rendered
from vitrine.edge.searching import run
from vitrine.edge.wiring import Wiring, spoken_to
from vitrine.problems import Forbidden
from vitrine.registry.profiles import Registry
from vitrine.search.prepare import Ask
from vitrine.tree.describe import describe_unmet


@dataclass(frozen=True, slots=True)
class Desk:
    """What a caller may do, with every source that their scopes cover."""

    wiring: Wiring
    caller: Caller
    registries: Mapping[str, Registry]

    @property
    def tools(self) -> tuple[tools.Tool, ...]:
        """List the caller's tools, in a fixed order."""
        return tools.tools(tuple(self.registries.values()))

    def call(self, name: str, given: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
        """Run a tool that was listed; raise a ``Problem`` to refuse."""
        if name == tools.DESCRIBE:
            return self._describe(given)
        return self._search(self.registries[name.removeprefix(tools.SEARCH)], given)

    def _describe(self, given: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
        asked = arguments.describe(given, tuple(self.registries))
        registry = self.registries[asked.source]
        caller = self.caller.speaking(asked.language, Surface.MCP)
        language = spoken_to(caller, registry).language
        return tools.described(registry, asked.field, language)

    def _search(
        self, registry: Registry, given: Mapping[str, Any]
    ) -> tuple[dict[str, Any], str]:
        asked = arguments.search(given)
        caller = spoken_to(self.caller.speaking(asked.language, Surface.MCP), registry)
        narrowed = narrow(Talk(self.wiring, caller, registry), asked)
        ask = Ask(
            caller=caller,
            registry=registry,
            tree=narrowed.tree,
            now=self.wiring.now(),
            session=narrowed.session,
            limit=asked.limit,
            cursor=asked.cursor,
        )
        answer = run(self.wiring, ask)
        unmet = narrowed.step.unmet if narrowed.step else ()
        return rendered(
            answer,
            session=narrowed.session,
            nonce=self.wiring.mark(),
            unmet=describe_unmet(unmet, registry, caller.language),
        )


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
