"""No search reads a table from end to end, and each enters its indexes at the tenant.

Held on a library of twelve thousand items beside a neighbour of the same size, with
statistics as a server has them: what the planner does there it does at any size above.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from psycopg import sql

from infra.bench.asking import CALLER, library, observed
from infra.bench.bulk import multiply
from infra.local import postgres as engine
from tests.fix_stack import Database
from tests.integration.postgres.asking import asked, text
from tests.integration.postgres.plans import Scan, looked, planned, ran, scans
from tests.trees import TODAY
from vitrine.postgres import count, fetch, vocabulary
from vitrine.postgres.cursor import Place
from vitrine.postgres.statement import Statement, search
from vitrine.registry.profiles import Registry
from vitrine.search.engine import Query, Wanted
from vitrine.tree.conditions import Any as AnyOf
from vitrine.tree.conditions import Text
from vitrine.tree.lower import lower
from vitrine.tree.model import Group, Node, Rule

ROWS = 12_000
NEIGHBOUR = """INSERT INTO library.assets
    (tenant, id, language, kind, status, title, occurred_at, owner, teams, is_public)
    SELECT 'boreal', gen_random_uuid(), 'en', 'photo', 'approved', 'Nebelbild ' || n,
        timestamptz '2026-11-29' - n * interval '97 seconds', 'erik', '{}', true
    FROM generate_series(1, 12000) AS n"""
SOMEBODY = "11111111-1111-4111-8111-111111111111"


@pytest.fixture(scope="module")
def large(postgres: engine.Cluster) -> Iterator[Database]:
    """A large library beside a large neighbour's."""
    postgres.create("large")
    dsn = postgres.dsn("large")
    multiply(dsn, ROWS)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(NEIGHBOUR)
        connection.execute("ANALYZE")
    yield Database("large", dsn, postgres.dsn("large", engine.SERVICE))
    postgres.drop("large")


@pytest.fixture(scope="module")
def seen(large: Database) -> Registry:
    """The library as a trusted member sees it, with what was observed of it."""
    bare = library()
    return replace(bare, samples=observed(large.service_dsn, bare.manifest))


def rule(key: str, operator: str, value: Any = None) -> Rule:
    return Rule(key, operator, value)


def either(*rules: Node) -> Group:
    return Group(operator="or", rules=rules)


def none_of(*rules: Node) -> Group:
    return Group(rules=rules, negated=True)


PHOTO = rule("kind", "in", ("photo",))
TALL = rule("orientation", "equals", "portrait")
CALM = rule("full_text_search", "keyword_search", "calme")
NARROW = rule("iso", "between", (900, 950))
FILTERS: dict[str, Node] = {
    "keyword": PHOTO,
    "keyword not": rule("kind", "not_in", ("photo", "video")),
    "keyword empty": rule("mime_type", "is_empty"),
    "orientation": TALL,
    "text contains": rule("title", "contains", "bureau"),
    "text not contains": rule("title", "not_contains", "bureau"),
    "text begins": rule("title", "starts_with", "lampe"),
    "text is": rule("title", "equals", "nothing of the kind"),
    "own text is": rule("city", "equals", "Lyon"),
    "own text contains": rule("caption", "contains", "x"),
    "identifier": rule("reference", "equals", "AUR-2024-00001"),
    "identifier begins": rule("reference", "starts_with", "AUR-2024"),
    "number": rule("width", "between", (3_000, 4_000)),
    "number one side": rule("height", "greater_than", 5_000),
    "own number": NARROW,
    "own number wide": rule("iso", "between", (0, 10**6)),
    "own number is": rule("people_count", "equals", 3),
    "own number empty": rule("iso", "is_empty"),
    "date": rule("imported_on", "after", "2026-11-01"),
    "moment": rule("taken_on", "in_period", "last_month"),
    "own date": rule("launch_date", "between", ("2024-01-01", "2024-01-05")),
    "boolean": rule("has_people", "equals", value=True),
    "vocabulary": rule("tags", "vocab_text_equals", SOMEBODY),
    "own vocabulary": rule("materials", "vocab_text_in", (SOMEBODY,)),
    "own vocabulary not": rule("brand", "vocab_text_not_in", (SOMEBODY,)),
    "colour near": rule("colours", "near", {"hex": "#aa3322", "tolerance": 30}),
    "colour": rule("colours", "equals", "#aa3322"),
    "either of two columns": either(PHOTO, TALL),
    "either of two ranges": either(NARROW, rule("price", "less_than", 100)),
    "either of unlike": either(NARROW, rule("city", "equals", "Lyon")),
    "none of two": none_of(PHOTO, NARROW),
}
TEXTS = {
    "strict": "calme",
    "typo": "clame",
    "prefix": "calm",
    "code": "AUR-2024-00001",
    "sentence": "une lampe calme pour une table du salon moderne",
    "nothing": "qqqqzz",
}


def ask(seen: Registry, *nodes: Node, **more: Any) -> Query:
    found = lower(Group(rules=nodes), seen, today=TODAY)
    return Query(CALLER, seen, found.condition, found.text, **more)


def held(large: Database, query: Query, statement: Statement) -> list[Scan]:
    """Give the scans of a statement's plan that no tenant's index bounds."""
    plan = planned(large.service_dsn, query.caller, statement)
    found = scans(plan)
    assert found
    return [scan for scan in found if not scan.keeps_to_tenant]


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_alone_reads_the_tenant_by_index(
    large: Database, seen: Registry, name: str
) -> None:
    query = ask(seen, FILTERS[name], facets=seen.facets)

    assert [] == held(large, query, search(query, None))


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_beside_a_text_reads_the_tenant_by_index(
    large: Database, seen: Registry, name: str
) -> None:
    query = ask(seen, FILTERS[name], CALM, facets=seen.facets)

    assert [] == held(large, query, search(query, None))


NEAR = rule("colours", "near", {"hex": "#b5473c", "tolerance": 48})
COLOURS: dict[str, tuple[Node, ...]] = {
    "alone": (NEAR,),
    "narrow": (rule("colours", "near", {"hex": "#b5473c", "tolerance": 8}),),
    "either": (either(NEAR, rule("city", "equals", "Lyon")),),
    "beside a text": (CALM, NEAR),
    "equal": (rule("colours", "equals", "#b5473c"),),
}


@pytest.mark.parametrize("name", COLOURS)
def test_a_colour_enters_the_index_by_its_cells(
    large: Database, seen: Registry, name: str
) -> None:
    query = ask(seen, *COLOURS[name], facets=seen.facets)
    plan = planned(large.service_dsn, CALLER, search(query, None))

    assert any("colours_cells" in c for scan in scans(plan) for c in scan.conditions)


@pytest.mark.parametrize("tolerance", [8, 48])
@pytest.mark.parametrize("nodes", [(), (CALM,)], ids=["alone", "beside a text"])
def test_a_colour_that_nobody_has_is_looked_for_in_few_rows(
    large: Database, seen: Registry, nodes: tuple[Node, ...], tolerance: int
) -> None:
    green = rule("colours", "near", {"hex": "#00ff00", "tolerance": tolerance})
    query = ask(seen, *nodes, green, facets=seen.facets)

    assert looked(ran(large.service_dsn, CALLER, search(query, None))) < ROWS / 20


@pytest.mark.parametrize("said", TEXTS.values(), ids=TEXTS.keys())
@pytest.mark.parametrize("filters", [(), (PHOTO, NARROW)], ids=["alone", "filtered"])
def test_each_rung_of_the_ladder_reads_the_tenant_by_index(
    large: Database, seen: Registry, said: str, filters: tuple[Node, ...]
) -> None:
    words = rule("full_text_search", "keyword_search", said)
    query = ask(seen, words, *filters, facets=seen.facets)

    assert [] == held(large, query, search(query, None))


@pytest.mark.parametrize("said", ["qqqqzz", "nebelbild", "nebelbilt"])
def test_a_word_that_no_row_has_is_looked_for_by_index_alone(
    large: Database, seen: Registry, said: str
) -> None:
    """Nobody's, the neighbour's, or nearly so: no step walks until it meets one."""
    words = rule("full_text_search", "keyword_search", said)
    query = ask(seen, words)

    plan = ran(large.service_dsn, query.caller, search(query, None))
    counted = ran(large.service_dsn, query.caller, count.counts(query, [Text(said)]))

    assert looked(plan) <= 50
    assert looked(counted) <= 50


@pytest.mark.parametrize("nodes", [(), (CALM,), (PHOTO, NARROW)])
def test_a_later_page_reads_the_tenant_by_index(
    large: Database, seen: Registry, nodes: tuple[Node, ...]
) -> None:
    place = Place("2026-01-01T00:00:00.000000Z", SOMEBODY)
    query = ask(seen, *nodes)

    assert [] == held(large, query, search(query, place))


def test_counting_reads_the_tenant_by_index(large: Database, seen: Registry) -> None:
    nodes = [*FILTERS.values(), CALM, Group(rules=(PHOTO, TALL, CALM, NARROW))]
    query = ask(seen)
    found = [lower(Group(rules=(node,)), seen, today=TODAY) for node in nodes]
    conditions = [low.text or low.condition for low in found]

    counted = count.counts(query, [*conditions, AnyOf((*conditions[:2],))])
    assert [] == held(large, query, counted)


def test_known_rows_and_labels_are_read_by_the_tenants_indexes(
    large: Database, seen: Registry
) -> None:
    query = ask(seen)

    assert [] == held(large, query, fetch.fetched(query, [SOMEBODY]))
    wanted = vocabulary.lookup(query, [Wanted("tags", "lampe"), Wanted("brand", "x")])
    assert [] == held(large, query, wanted)


CRM = {
    "text": (text("manteau"),),
    "role": (("person", "with_role", "fournisseur"),),
    "no role": (("person", "without_role", "fournisseur"),),
    "name": (("person", "person_name", "Marie"),),
    "all": (text("manteau"), ("happened_on", "in_period", "last_month")),
}


@pytest.mark.parametrize("name", CRM)
def test_the_crm_reads_the_tenant_by_index(demo: Database, name: str) -> None:
    query = asked("events", *CRM[name])

    assert [] == held(demo, query, search(query, None))


def test_a_table_read_from_end_to_end_is_noticed(large: Database) -> None:
    """What the others rely on: no index's condition, none that names the tenant."""
    whole, part = (
        scans(planned(large.dsn, CALLER, Statement(sql.Composed([order]), {})))[0]
        for order in (
            sql.SQL("SELECT id FROM library.assets WHERE kind = 'photo'"),
            sql.SQL("SELECT id FROM library.assets WHERE tenant = 'x' LIMIT 9"),
        )
    )

    assert (whole.way, whole.keeps_to_tenant) == ("Seq Scan", False)
    assert part.keeps_to_tenant
