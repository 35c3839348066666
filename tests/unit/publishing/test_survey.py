"""The first look: counts, gathered lists whose codes stay, and memory."""

from __future__ import annotations

from typing import Any

import pytest

from infra.local.demo import shop
from infra.publishing.survey import (
    choices_of,
    closed,
    gather,
    weigh,
    with_choices,
)
from vitrine.problems import Invalid
from vitrine.registry.fields import Choice
from vitrine.registry.manifest import Manifest
from vitrine.registry.profiles import registry_for
from vitrine.typesense.encode import Press

GATHERING = {"only": {"published": [True]}, "gathered": ["brand"]}


def manifest(*brands: tuple[str, str]) -> Manifest:
    raw = shop.manifest().model_dump(mode="json") | {"origin": GATHERING}
    brand = next(f for f in raw["fields"] if f["key"] == "brand")
    brand["choices"] = [{"value": v, "code": c} for v, c in brands] or None
    return Manifest.model_validate(raw)


def made(*brands: str | None, published: bool = True) -> list[dict[str, Any]]:
    return [
        {"id": str(n), "brand": b, "published": published} for n, b in enumerate(brands)
    ]


def codes(found: Manifest) -> dict[str, str]:
    field = found.field("brand")
    return {c.value: c.code for c in (field.choices if field else None) or ()}


def test_records_are_counted_and_hidden_ones_give_no_value() -> None:
    survey = gather(
        [*made("Lorme", "Vigne"), *made("Secret", published=False)], manifest()
    )

    assert (3, 2, 1) == (survey.records, survey.published, survey.held_back)
    assert survey.values == {"brand": {"Lorme", "Vigne"}}


def test_no_value_ever_loses_its_code() -> None:
    first = closed(manifest(), gather(made("Vigne", "Lorme"), manifest()), None)
    second = closed(manifest(), gather(made("Nord"), manifest()), first)
    third = closed(manifest(), gather(made("Lorme", "Nord"), manifest()), second)

    assert set(codes(first)) == {"Lorme", "Vigne"}
    assert codes(first).items() <= codes(second).items()
    assert codes(second) == codes(third)
    assert len(set(codes(third).values())) == 3


def test_a_published_code_is_stronger_than_the_manifest_s() -> None:
    published = manifest(("Lorme", "old1"))
    new = manifest(("Lorme", "new1"), ("Vigne", "new2"))

    found = codes(closed(new, gather(made("Nord"), new), published))

    assert (found["Lorme"], found["Vigne"]) == ("old1", "new2")


def test_a_clash_of_codes_gives_another_one() -> None:
    alone = codes(closed(manifest(), gather(made("Nord"), manifest()), None))
    taken = manifest(("Lorme", alone["Nord"]))

    found = codes(closed(taken, gather(made("Nord"), taken), None))

    assert found["Lorme"] == alone["Nord"] != found["Nord"]


def test_a_list_without_an_end_is_no_closed_list(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("infra.publishing.survey.MOST_CHOICES", 2)

    with pytest.raises(Invalid):
        closed(manifest(), gather(made("a", "b", "c"), manifest()), None)


def test_gathered_lists_come_back_from_a_file() -> None:
    whole = closed(manifest(), gather(made("Lorme", None), manifest()), None)

    assert whole == with_choices(manifest(), choices_of(whole))


def test_labels_are_the_manifest_s() -> None:
    new = manifest(("Lorme", "l1"))
    brand = new.field("brand")
    assert brand
    spoken = brand.model_copy(
        update={"choices": (Choice(value="Lorme", code="x", labels={"fr": "Lormé"}),)}
    )
    fields = tuple(spoken if f.key == "brand" else f for f in new.fields)
    said = new.model_copy(update={"fields": fields})

    found = closed(said, gather(made("Lorme"), said), new).field("brand")

    assert found
    assert found.choices == (Choice(value="Lorme", code="l1", labels={"fr": "Lormé"}),)


def test_a_rehearsal_finds_every_fault_and_weighs_the_rest() -> None:
    registry = registry_for(shop.manifest(), "closed", tenant="boreal")
    press = Press([registry], b"k")
    records = list(shop.records("boreal"))[:50]
    survey = gather(records, shop.manifest())

    weigh([*records, {**records[0], "material": "unobtainium"}], press, survey)

    assert ["/material"] == [fault.pointer for fault in survey.faults]
    assert 100 * survey.published < survey.entries["closed"] < 300 * survey.published
    assert survey.memory["closed"] > survey.entries["closed"]
