"""A label is taken for the same stored values on both engines, or for none."""

from __future__ import annotations

from random import Random

import pytest

from infra.bench.worlds import Servers
from tests import trees
from tests.integration.postgres import things
from vitrine.problems import Invalid
from vitrine.registry.capabilities import EngineName
from vitrine.registry.fields import Choice, Field
from vitrine.registry.operators import FieldType
from vitrine.registry.profiles import Registry, registry_for
from vitrine.search.engine import Found, Query, Wanted
from vitrine.search.resolve import resolve
from vitrine.tree.conditions import TRUE
from vitrine.tree.model import Group, Rule

LABELS = (
    "Alfredo Häberli",
    "Inga Sempé",
    "Henning Koppel",
    "Henning Larsen",
    "Louise Adelborg",
    "Terre d'Ocre",
    "Société nationale des chemins de fer",
    "Cuisine du Nord-Ouest",
    "Crème brûlée",
    "coucher de soleil",
    "lever de soleil",
    "soleil",
    "STRASSE straße",
    "日本語",
    "Firm && Co.",
    "100% _wool_",
    "it's",
    "a,b;c",
    "001",
    "Œuvre au noir",
    "w" * 101,
)
KEY = "vocabulary_0"


@pytest.fixture(scope="module")
def seen(servers: Servers) -> dict[EngineName, Registry]:
    choices = tuple(Choice(value=v, code=f"c{n}") for n, v in enumerate(LABELS))
    field = Field(
        key=KEY, type=FieldType.VOCABULARY, label={"en": "v"}, choices=choices
    )
    registries = {
        engine: registry_for(
            trees.registry_of([field], engine=engine).manifest.model_copy(
                update={"relation": things.RELATION}
            ),
            "trusted",
            tenant="acme",
        )
        for engine in EngineName
    }
    things.store(servers.dsn, registries[EngineName.POSTGRES], [], coded=True)
    return registries


def asked(
    servers: Servers, seen: dict[EngineName, Registry], labels: list[str]
) -> tuple[tuple[Found, ...], tuple[Found, ...]]:
    """Look labels up on PostgreSQL and on Typesense."""
    wanted = [Wanted(KEY, label) for label in labels]
    return (
        servers.postgres.look_up(
            Query(things.ACME, seen[EngineName.POSTGRES], TRUE), wanted
        ),
        servers.typesense.look_up(
            Query(things.ACME, seen[EngineName.TYPESENSE], TRUE), wanted
        ),
    )


@pytest.mark.parametrize(
    ("expected", "label"),
    [
        (["Alfredo Häberli"], "ALFREDO HABERLI"),
        # a short needle in a long label
        (["Alfredo Häberli"], "alfredo"),
        (["Société nationale des chemins de fer"], "chemins de fer"),
        (["Henning Koppel", "Henning Larsen"], "henning"),
        # a short label in a long needle
        (["Inga Sempé"], "a lamp by Inga Sempe"),
        (["soleil"], "tout ce qui parle du soleil"),
        # a slip
        (["Louise Adelborg"], "Louise Adelbrog"),
        (["日本語"], "日本語"),
        (["w" * 101], "w" * 101),
        ([], "zzzqqq"),
        ([], "%"),
    ],
)
def test_a_label_is_found_in_both_directions(  # N05
    servers: Servers,
    seen: dict[EngineName, Registry],
    expected: list[str],
    label: str,
) -> None:
    ours, theirs = asked(servers, seen, [label])

    assert expected == sorted(ours[0].labels)
    assert expected == sorted(theirs[0].labels)


def test_any_needle_means_the_same_on_both(
    servers: Servers, seen: dict[EngineName, Registry]
) -> None:
    rng = Random(7)
    needles = [needle(rng) for _ in range(300)]

    ours, theirs = asked(servers, seen, needles)

    for label, one, other in zip(needles, ours, theirs, strict=True):
        assert set(one.ids) == set(other.ids), label
    assert 50 < sum(bool(one.ids) for one in ours) < 300


def needle(rng: Random) -> str:
    """Draw a label and lose words, letters or case of it, or talk around it."""
    words = rng.choice(LABELS).split()
    kept = words[: rng.randint(1, len(words))] if rng.random() < 0.6 else words
    text = " ".join(kept)
    if rng.random() < 0.4 and len(text) > 3:
        at = rng.randrange(len(text))
        text = text[:at] + rng.choice(("", text[at] * 2, "x")) + text[at + 1 :]
    around = rng.choice(("{}", "{}", "something of {}", "{} please", "le {} rouge"))
    return rng.choice((str.upper, str.lower, str))(around.format(text))


@pytest.mark.parametrize("engine", list(EngineName))
def test_each_literal_of_a_list_is_resolved_or_refused_alone(  # N09
    servers: Servers, seen: dict[EngineName, Registry], engine: EngineName
) -> None:
    of = servers.postgres if engine is EngineName.POSTGRES else servers.typesense
    query = Query(things.ACME, seen[engine], TRUE)
    good, bad = ["sempe", "häberli"], ["sempe", "hening koppl", "zzzqqq", "qqzz"]

    settled = resolve(Group(rules=(Rule(KEY, "vocab_text_in", good),)), of, query)
    with pytest.raises(Invalid) as refused:
        resolve(Group(rules=(Rule(KEY, "vocab_text_in", bad),)), of, query)

    assert Rule(KEY, "vocab_id_in", ("c0", "c1")) == settled.tree.rules[0]
    labels = [r.labels for r in settled.resolved]
    assert labels == [("Inga Sempé",), ("Alfredo Häberli",)]
    pointers = [fault.pointer for fault in refused.value.faults]
    assert pointers == ["/rules/0/value/2", "/rules/0/value/3"]


@pytest.mark.parametrize("engine", list(EngineName))
def test_an_unknown_label_names_the_nearest_that_are_visible(
    servers: Servers, seen: dict[EngineName, Registry], engine: EngineName
) -> None:
    of = servers.postgres if engine is EngineName.POSTGRES else servers.typesense
    query = Query(things.ACME, seen[engine], TRUE)
    tree = Group(rules=(Rule(KEY, "vocab_text_equals", "adel"),))

    with pytest.raises(Invalid) as refused:
        resolve(tree, of, query)

    (fault,) = refused.value.faults
    assert fault.code == "unknown_value"
    assert "Louise Adelborg" in fault.remedy
