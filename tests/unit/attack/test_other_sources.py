"""The attackers find their way in any source: no field, list or budget is a must."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from infra.attack import __main__ as command
from infra.attack import goods
from infra.attack.bits import Bits
from infra.attack.campaign import Scale, crawlers, crowds, hidden, oracles, private
from infra.attack.counting import nowhere
from infra.attack.figures import Figures
from infra.attack.gate import Clock, quiet
from infra.attack.published import bare
from infra.attack.shelf import Shelf
from infra.attack.stage import Stage, staged
from infra.local.demo import shop
from infra.publishing.written import manifest_at
from tests.unit.attack.test_attack import CAPS, RECORDS, SIZE
from vitrine.problems import Invalid
from vitrine.registry.manifest import Manifest
from vitrine.registry.operators import FieldType
from vitrine.registry.profiles import registry_for
from vitrine.typesense.encode import Encoder

SCALE = Scale(calls=60, naive_calls=250, oracle_calls=45, sybils=(3,), every=40)
MANIFEST = shop.manifest()


def keys(*kinds: FieldType) -> list[str]:
    return [f.key for f in MANIFEST.fields if f.type in kinds and f.key != "name"]


LISTED = keys(FieldType.KEYWORD, FieldType.VOCABULARY, FieldType.COLOUR)
WITHOUT = {
    "no date": keys(FieldType.DATE),
    "no price and no date": ["price", *keys(FieldType.DATE)],
    "no number and no date": keys(FieldType.NUMBER, FieldType.DATE),
    "no identifier": keys(FieldType.IDENTIFIER),
    "no closed list": LISTED,
}
SALES = "supplier_quota"
"""What orders results without being shown to anybody."""


def stage(gone: Iterable[str], **caps: Any) -> Stage:
    quiet()
    raw = goods.without(MANIFEST, gone).model_dump()
    raw["order"] = SALES if SALES in {f["key"] for f in raw["fields"]} else None
    raw["profiles"]["closed"]["budget"] |= CAPS | caps
    manifest = Manifest.model_validate(raw)
    registry = registry_for(manifest, "closed", tenant=goods.TENANT, documents=SIZE)
    engine = Bits(Encoder(registry, goods.KEY), RECORDS)
    return staged("memory", Clock(goods.START), Shelf(), engine, registry)


@pytest.mark.parametrize("lacking", WITHOUT)
def test_a_source_without_them_is_attacked_all_the_same(lacking: str) -> None:
    figures, one = Figures(), stage(WITHOUT[lacking])
    twin = staged("twin", one.gate.clock, Shelf(), one.engine, bare(one.registry))

    crawlers(one, figures, SCALE)
    oracles(one, figures, SCALE, frozenset({"totals", "9 known, no page"}).__contains__)
    private(one, twin, figures, SCALE, hidden(one.registry))
    crowds(one, figures, SCALE)

    assert figures.last["naive"] > 10
    assert 0 < figures.last["identity_day"] <= 100 * 18 / SIZE
    assert (0, 0.0) == (figures.last["private_bits"], figures.last["pinned_by_counts"])
    assert 0 == one.untyped


def test_smaller_pages_are_asked_for_as_small_as_they_are() -> None:
    """A refused limit would look like a catalogue that nobody can carry away."""
    figures, one = Figures(), stage((), answer=3)

    crawlers(one, figures, SCALE)

    assert figures.last["identity_day"] == 100 * 18 / SIZE
    assert not [v.refusals for v in one.visitors if "invalid" in v.refusals]


def test_a_source_that_filters_by_nothing_says_so() -> None:
    every = [f.key for f in MANIFEST.fields if f.key not in {"name", "slug"}]

    with pytest.raises(ValueError, match="filters by nothing"):
        nowhere(stage(every).registry)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "Invalid JSON"),
        ('{"source": 3}', "string"),
        (None, "No such file"),
        ("\ufeff{}", "required"),
    ],
)
def test_what_is_no_manifest_is_told_by_its_places(
    text: str | None, said: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    file = tmp_path / "m.json"
    if text is not None:
        file.write_text(text, "utf-8")

    with pytest.raises(Invalid) as refused:
        manifest_at(file)
    monkeypatch.setattr("sys.argv", ["x", "--manifest", str(file), "--tenant", "t"])
    code = command.main()

    assert said in str(refused.value.members["errors"])
    assert 1 == code
    assert capsys.readouterr().out.splitlines()[-1].startswith('{"error": ')
