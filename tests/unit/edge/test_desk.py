from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from infra.local.demo import shop
from vitrine.caller import Caller, Surface
from vitrine.edge.agents import Desk, admission
from vitrine.edge.exchange import Asked
from vitrine.edge.money import share
from vitrine.problems import Forbidden, Invalid, Unauthenticated
from vitrine.registry.profiles import registry_for

SHOP = registry_for(shop.manifest(), "closed", tenant="t")
ALICE = Caller("t", "alice", "desk", language="", surface=Surface.MCP)


class Door:
    """A wiring that admits one bearer, to the sources it is given."""

    def __init__(self, *registries: Any) -> None:
        self._registries = registries

    def caller(
        self, authorization: str | None, language: str | None, surface: Surface
    ) -> Caller:
        if authorization != "Bearer good":
            raise Unauthenticated
        return ALICE.speaking(language, surface)

    def mark(self) -> str:
        return "7f3a"

    def covered(self, _: Caller) -> tuple[Any, ...]:
        return self._registries


def admitted(headers: Mapping[str, str], *registries: Any) -> Desk:
    door: Any = Door(*registries)
    return admission(door)(headers)


def test_a_desk_speaks_for_the_token_on_the_surface_of_agents() -> None:
    desk = admitted({"authorization": "Bearer good", "accept-language": "fr"}, SHOP)

    assert (desk.caller.surface, desk.caller.language) == (Surface.MCP, "fr")
    assert desk.tools[0].name == "search_products"


def test_a_bad_token_gets_no_desk() -> None:
    with pytest.raises(Unauthenticated):
        admitted({}, SHOP)


def test_without_a_source_there_is_no_desk() -> None:
    with pytest.raises(Forbidden):
        admitted({"authorization": "Bearer good"})


@pytest.mark.parametrize(
    ("said", "label"), [({}, "prix"), ({"language": "en"}, "price")]
)
def test_a_description_speaks_the_asked_language_else_the_sources(
    said: dict[str, str], label: str
) -> None:
    desk = admitted({"authorization": "Bearer good"}, SHOP)

    answer: Any = desk.call(Asked("describe_source", {"field": "price"} | said))
    data, lines = answer

    assert label == data["fields"][0]["label"]
    assert label in lines


@pytest.mark.parametrize("given", [{"fields": "price"}, {"field": "supplier"}])
def test_a_description_refuses_what_it_does_not_know(given: dict[str, str]) -> None:
    desk = admitted({"authorization": "Bearer good"}, SHOP)

    with pytest.raises(Invalid):
        desk.call(Asked("describe_source", given))


@pytest.mark.parametrize(
    ("spent", "cap", "percent"), [(0, 5, 0), (4, 5, 80), (5, 5, 100), (1, 0, 100)]
)
def test_a_share_of_the_cap_is_told_in_percent(
    spent: int, cap: int, percent: float
) -> None:
    assert percent == share(spent, cap)
