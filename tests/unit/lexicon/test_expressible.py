"""Whatever the chat says stays expressible by hand: its trees check to themselves.

Conversations are drawn over the demo's own manifests, as each profile sees them, from
labels, values and phrases; after every turn the session's tree must pass as it is, and
compile for its engine.
"""

from __future__ import annotations

from functools import cache
from random import Random

import pytest
from hypothesis import given, settings

from infra.local.demo import shop
from infra.local.demo.media import definitions
from infra.local.folders import ROOT
from tests import trees
from vitrine.caller import Caller
from vitrine.interpret.turn import Means, interpret
from vitrine.postgres.statement import search
from vitrine.problems import Invalid
from vitrine.registry.capabilities import EngineName
from vitrine.registry.fields import Field
from vitrine.registry.manifest import Manifest
from vitrine.registry.operators import FieldType
from vitrine.registry.profiles import Registry, registry_for
from vitrine.registry.samples import Sample
from vitrine.search.engine import Query
from vitrine.session import Session, Turn, advance
from vitrine.tree.interchange import read as opened
from vitrine.tree.interchange import write
from vitrine.tree.lower import lower
from vitrine.tree.model import Group, Node, Rule, dump
from vitrine.tree.walk import map_rules
from vitrine.typesense.compile import filter_by
from vitrine.validate import check, validate

PROFILES = ("closed", "professional", "trusted")
PLACES = ("Lyon", "Paris", "Lausanne", "Copenhagen")
MEANS = Means(clock=lambda: 0.0, sleep=lambda _: None)
IDS = {
    "vocab_text_equals": "vocab_id_in",
    "vocab_text_in": "vocab_id_in",
    "vocab_text_not_in": "vocab_id_not_in",
}

# {v} and {w} are values of a field, {f} its label, {n} and {m} ascending numbers.
SAID = {
    "en": (
        "{v}",
        "show me {v} or {w}",
        "{f} {v}",
        "{f}: {v}, {w}",
        "only {v} please",
        "nothing in {v}",
        "without {v}",
        "not {v} and not {w}",
        "either {v} or {w}, but not {p}",
        "{f} under {n}",
        "{f} over {n}",
        "between {n} and {m} {f}",
        "at least {n} {f}",
        "{f} exactly {n}",
        "less than {n} € and more than 2 m wide",
        "{p}, landscape format",
        "{p} in {place}",
        "from last month",
        "{f} since February 2024",
        "not those of last spring",
        "before 12 May 2024",
        "without {f}",
        "with any {f}",
        "something close to #ff8800",
        "red or dark blue",
        "actually {v}",
        "{v} instead",
        "and {w} too",
        "remove {v}",
        "remove the {f}",
        "forget everything but {v}",
        "start over",
        "all suppliers",
        "clients not yet tagged VIP",
        "with Marie",
        "6205-2RS",
    ),
    "fr": (
        "{v}",
        "montre-moi {v} ou {w}",
        "{f} {v}",
        "uniquement {v}",
        "sans {v}",
        "pas {v} ni {w}",
        "{f} moins de {n}",
        "{f} plus de {n}",
        "entre {n} et {m} {f}",
        "au moins {n} {f}",
        "à moins de {n} € et plus de 2 m de large",
        "{p} en paysage",
        "{p} à {place}",
        "le mois dernier",
        "{f} depuis février 2024",
        "pas ceux du printemps dernier",
        "avant le 12 mai 2024",
        "sans {f}",
        "plutôt {v}",
        "et aussi {w}",
        "enlève {v}",
        "enlève le filtre {f}",
        "recommence",
        "tous les fournisseurs",
        "les clients pas encore VIP",
        "avec Marie",
        "rouge ou bleu foncé",
    ),
}


@cache
def registries() -> tuple[Registry, ...]:
    """See each source of the demo as each of its profiles does."""
    manifests = [shop.manifest()]
    for source in ("media", "persons", "events"):
        file = ROOT / "infra" / "sources" / f"{source}.json"
        read_in = Manifest.model_validate_json(file.read_text(encoding="utf-8"))
        defined = source == "media"
        manifests.append(
            read_in.extended(definitions("aurore")) if defined else read_in
        )
    return tuple(
        registry_for(m, profile, tenant="aurore", samples=sampled(m))
        for m in manifests
        for profile in PROFILES
        if profile in m.profiles
    )


def sampled(manifest: Manifest) -> dict[str, Sample]:
    """Observe what a catalogue of hostile and plain words would show."""
    words = (*trees.WORDS, "golden hour", "Alfredo Häberli", "Firm && Co.", "a,b;c")
    return {
        f.key: Sample(values=words[:6], labels=words)
        for f in manifest.fields
        if f.choices is None
    }


def message(rng: Random, registry: Registry, language: str) -> str:
    """Draw a sentence about a field of the source."""
    field = rng.choice([f for f in registry.filters.values() if f.label])
    low = rng.choice((0, 3, 12, 250, 1999.5))
    return rng.choice(SAID[language]).format(
        v=value(rng, registry, field, language),
        w=value(rng, registry, field, language),
        f=field.named(language),
        n=low,
        m=low + rng.choice((1, 40)),
        p=rng.choice(("lamp", "calm", "winter coats", "quelque chose de calme")),
        place=rng.choice(PLACES),
    )


def value(rng: Random, registry: Registry, field: Field, language: str) -> str:
    if field.choices:
        choice = rng.choice(field.choices)
        return rng.choice((choice.value, choice.labels.get(language, choice.value)))
    sample = registry.sample(field.key)
    return rng.choice((*sample.values, *sample.labels, "zorbak"))


def heard(said: str, session: Session, registry: Registry, language: str) -> Turn:
    """Read a message as a chat without a model does."""
    outcome = interpret(
        said, session, registry, means=MEANS, today=trees.TODAY, language=language
    )
    return outcome.turn


def settled(tree: Group) -> Group:
    """Put ids where labels stand, as the resolve step does."""

    def by_id(rule: Rule) -> Node:
        known = IDS.get(rule.operator)
        return Rule(rule.field, known, ("c1",)) if known else rule

    return map_rules(tree, by_id)


def compiles(tree: Group, registry: Registry) -> None:
    """Compile for the source's engine; what is too large for it says so."""
    found = lower(settled(tree), registry, today=trees.TODAY)
    caller = Caller("aurore", "subject", "client")
    if registry.engine is EngineName.POSTGRES:
        query = Query(caller, registry, found.condition, found.text)
        assert search(query, None).text.as_string(None)
        return
    try:
        assert filter_by(found.condition, "a1") != ""
    except Invalid as refusal:
        assert [f.code for f in refusal.faults] == ["too-large"]  # noqa: PT017 - the only reason there may be


@pytest.mark.parametrize("language", sorted(SAID))
@given(seed=trees.SEEDS)
@settings(max_examples=120, deadline=None)
def test_every_tree_of_a_conversation_passes_as_it_is(language: str, seed: int) -> None:
    rng = Random(seed)
    registry = rng.choice(registries())
    session = Session("s", "aurore", "subject", "client", registry.source)

    for _ in range(4):
        said = message(rng, registry, language)
        turn = heard(said, session, registry, language)
        step = advance(session, turn, registry, message=said, language=language)
        session = step.session
        tree = session.tree
        judged = validate(tree, registry, today=trees.TODAY, language=language)
        assert (judged.faults, judged.tree) == ((), tree), said
        by_hand = check(dump(tree), registry, today=trees.TODAY, language="en")
        assert (by_hand.faults, by_hand.tree) == ((), tree), said
        assert opened(write(tree, registry), registry).tree == tree, said
        compiles(tree, registry)


def test_the_conversations_speak_of_most_types() -> None:
    """The property would hold of empty trees as well."""
    kinds: set[FieldType] = set()
    empty = turns = 0
    for seed in range(300):
        rng = Random(seed)
        registry = rng.choice(registries())
        said = message(rng, registry, "en")
        session = Session("s", "aurore", "subject", "client", registry.source)
        turn = heard(said, session, registry, "en")
        turns += 1
        empty += not turn.delta
        kinds |= {
            registry.filters[rule.field].type
            for rule in turn.delta.rules
            if isinstance(rule, Rule)
        }

    assert empty < turns / 3
    assert len(kinds) >= 9
