"""The ladder: strict, then typo, then prefix; never a word dropped."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from random import Random

import pytest

from tests.integration.typesense.conftest import Ask
from vitrine.caller import Caller
from vitrine.problems import Invalid
from vitrine.registry.profiles import Registry
from vitrine.search.engine import Query, Row
from vitrine.tree.conditions import All, Any, Between, Condition, Member, Not, Text
from vitrine.typesense.search import Typesense
from vitrine.typesense.words import words

TEXTS = {"strict": "oak", "typo": "lampadere", "prefix": "lampad"}


def said(row: Row) -> set[str]:
    return set(words(" ".join(str(v) for v in row.values.values())))


def test_a_strict_hit_holds_every_word(ask: Ask) -> None:
    hits = ask("lampadaire chêne")

    assert hits.mode == "strict"
    assert hits.fallback is None
    assert hits.exact
    assert hits.rows
    assert all({"lampadaire", "chene"} <= said(row) for row in hits.rows)


def test_a_misspelt_word_is_corrected_and_the_correction_told(ask: Ask) -> None:  # S01
    hits = ask("lampadere chene")

    assert (
        hits.mode,
        hits.original,
        hits.fallback,
    ) == ("typo", "lampadere chene", "lampadaire chene")
    assert {r.id for r in ask("lampadaire chêne").rows} == {r.id for r in hits.rows}
    assert all(row.mode == "typo" for row in hits.rows)


def test_a_beginning_finds_words_and_claims_no_exact_total(ask: Ask) -> None:  # F04
    hits = ask("lampad")

    assert (hits.mode, hits.fallback, hits.exact) == ("prefix", "lampad*", False)
    assert {r.id for r in ask("lampadaire").rows} <= {r.id for r in hits.rows}


@pytest.mark.parametrize("text", ["z", "ch", "oak wa", "b", "日"])
def test_a_letter_or_two_list_nothing(ask: Ask, text: str) -> None:
    hits = ask(text)

    assert hits.mode == "strict"
    assert all(set(words(text)) <= said(row) for row in hits.rows)


@pytest.mark.parametrize("text", ["oak zzzqqqxx lamp", "zzzqqqxx", "oak -oak"])
def test_no_word_is_ever_dropped(ask: Ask, text: str) -> None:  # S01
    hits = ask(text)

    assert (hits.total, hits.rows, hits.mode) == (0, (), "strict")


def test_a_denied_word_keeps_its_documents_out(ask: Ask) -> None:
    everything, without = ask("oak"), ask("oak -chair")

    chairs = {r.id for r in everything.rows if "chair" in said(r)}
    assert chairs
    assert {r.id for r in everything.rows} - chairs == {r.id for r in without.rows}


def test_or_finds_what_either_alternative_finds(ask: Ask) -> None:
    def ids(text: str) -> set[str]:
        return {row.id for row in ask(text).rows}

    assert ids("lampadaire chêne") | ids("vase") == ids("lampadaire chêne ou vase")
    assert ids("vase") - ids("glass vase") == ids("vase or vase -glass")


@pytest.mark.parametrize(
    ("plural", "singular"),
    [("lampadaires", "lampadaire"), ("vases bleus", "vase bleu"), ("rugs", "rug")],
)
def test_a_plural_finds_the_singular_strictly(
    ask: Ask, plural: str, singular: str
) -> None:
    many, one = ask(plural), ask(singular)

    assert (many.mode, one.mode) == ("strict", "strict")
    assert {r.id for r in one.rows} == {r.id for r in many.rows}


def test_function_words_ask_for_nothing(ask: Ask) -> None:
    plain = ask("lampadaire chêne")

    assert plain.rows == ask("un lampadaire en chêne pour le").rows


def test_an_identifier_is_found_as_spelt_and_never_corrected(ask: Ask) -> None:  # S03
    sku = str(ask("oak").rows[0].values["sku"])
    wrong = sku[:-1] + ("1" if sku[-1] != "1" else "2")

    for spelling in (sku, sku.lower(), sku.replace("-", " "), sku.replace("-", "")):
        assert [sku] == [r.values["sku"] for r in ask(spelling).rows]
    assert sku not in {r.values["sku"] for r in ask(wrong).rows}


def filters(registry: Registry, rng: Random) -> Condition:
    fields = registry.fields
    material = fields["material"].choices or ()
    colour = fields["colour"].choices or ()
    drawn: list[Condition] = [
        Member(fields["material"], tuple(c.value for c in rng.sample(material, 6))),
        Not(Member(fields["colour"], tuple(c.value for c in rng.sample(colour, 9)))),
        Between(fields["price"], high=Decimal(rng.randint(3_000, 90_000))),
        Not(Between(fields["width"], low=Decimal(rng.randint(20, 150)))),
        Member(fields["in_stock"], (True,)),
        Any((Member(fields["room"], ("bedroom",)), Not(Text("lampe")))),
    ]
    return All(tuple(rng.sample(drawn, rng.randint(1, 3))))


@pytest.mark.parametrize("mode", TEXTS)
def test_a_filter_never_adds_a_document(  # S02
    ask: Ask, closed: Registry, mode: str
) -> None:
    alone = ask(TEXTS[mode])
    rng = Random(mode)

    assert mode == alone.mode
    for _ in range(15):
        condition = filters(closed, rng)
        filtered = ask(TEXTS[mode], condition)
        matching = {r.id for r in ask(None, condition, limit=250).rows}
        matching |= {r.id for r in ask(None, condition, after=(2, 250)).rows}
        matching |= {r.id for r in ask(None, condition, after=(3, 250)).rows}
        expected = {r.id for r in alone.rows} & matching
        assert mode == filtered.mode
        assert expected == {r.id for r in filtered.rows}


def test_an_empty_result_under_a_filter_does_not_widen(
    ask: Ask, closed: Registry
) -> None:  # S02
    nothing = Between(closed.fields["price"], high=Decimal(1))

    hits = ask("oak", nothing)

    assert (hits.mode, hits.total, hits.fallback) == ("strict", 0, None)


@pytest.mark.parametrize("mode", TEXTS)
def test_a_later_page_keeps_the_mode(ask: Ask, mode: str) -> None:
    first = ask(TEXTS[mode], limit=5)
    second = ask(TEXTS[mode], limit=5, mode=mode, after=first.next)

    assert (mode, mode) == (first.mode, second.mode)
    assert (first.total, first.fallback) == (second.total, second.fallback)
    assert {r.id for r in first.rows}.isdisjoint(r.id for r in second.rows)


def test_a_mode_that_a_text_has_no_use_for_finds_nothing_new(ask: Ask) -> None:
    strict = ask("oak")

    assert {r.id for r in strict.rows} == {r.id for r in ask("oak", mode="typo").rows}


@pytest.mark.parametrize(
    "text",
    [
        "`) || hidden:=true",
        "* && x:(",
        "GUARD:=[`a`]",
        "-",
        '"',
        "\\",
        "日本語",
        "x" * 101,
    ],
)
def test_a_hostile_text_finds_no_more_than_its_words(ask: Ask, text: str) -> None:
    try:
        hits = ask(text)
    except Invalid:
        assert not words(text) or text == "-"
        return
    assert all(set(words(text)) <= said(row) for row in hits.rows) or hits.fallback


def test_meaning_is_refused_and_hybrid_says_that_it_ran_on_words(
    engine: Typesense, closed: Registry, caller: Caller
) -> None:
    def query(text: Text) -> Query:
        return Query(caller, closed, All(), text)

    with pytest.raises(Invalid):
        engine.search(query(Text("oak", "semantic_search")))
    assert engine.search(query(Text("oak"))).notes == ("keyword_only",)
    assert engine.search(query(Text('"oak lamp"', "keyword_search"))).notes == (
        "phrase_as_words",
    )


def test_a_source_may_widen_although_there_are_strict_hits(
    engine: Typesense, closed: Registry, caller: Caller, ask: Ask
) -> None:
    strict = ask("lamp oak")
    few = strict.total + 1
    manifest = closed.manifest.model_copy(update={"widen_below": few})
    eager = replace(closed, manifest=manifest)
    query = Query(caller, eager, All(), Text("oak lam", "keyword_search"), limit=250)

    first = engine.search(replace(query, text=Text("oak lamp", "keyword_search")))
    modes = [row.mode for row in first.rows]

    assert first.mode == "prefix"
    assert {r.id for r in strict.rows} == {
        r.id for r in first.rows if r.mode == "strict"
    }
    assert sorted(modes, key=lambda mode: mode != "strict") == modes
    assert all("WORDS" not in row.values for row in first.rows)
    assert "prefix" in {row.mode for row in engine.search(query).rows}
