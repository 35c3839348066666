"""Labels, samples, definitions and relations on the seeded demo."""

from __future__ import annotations

import psycopg
import pytest

from infra.local.demo.media import definitions
from tests.fix_stack import Database
from tests.integration.postgres.asking import asked
from vitrine.postgres.search import Postgres
from vitrine.search.engine import Wanted


@pytest.mark.parametrize(
    ("field", "label", "expected"),
    [
        ("product_designer", "henning koppel", "Henning Koppel"),
        ("product_designer", "ALFREDO HABERLI", "Alfredo Häberli"),
        ("product_designer", "Alfredo", "Alfredo Häberli"),
        ("product_designer", "Louise Adelbrog", "Louise Adelborg"),
        ("product_designer", "a lamp by Inga Sempe", "Inga Sempé"),
        ("tags", "sunset", "sunset"),
        ("tags", "coucher de soleil", "coucher de soleil"),
        ("light", "heure doree", "heure dorée"),
        ("light", "golden hour", "golden hour"),
    ],
)
def test_a_label_is_found_as_people_write_it(
    searched: Postgres, field: str, label: str, expected: str
) -> None:
    (found,) = searched.look_up(asked("media"), [Wanted(field, label)])

    assert (expected,) == found.labels
    assert len(found.ids) == 1


def test_both_languages_name_one_term(searched: Postgres) -> None:
    query = asked("media")
    french, english = searched.look_up(
        query, [Wanted("light", "contre-jour"), Wanted("light", "backlight")]
    )

    assert french.ids == english.ids


@pytest.mark.parametrize("label", ["zzzqqq", "", "\x00", "%", "'; --"])
def test_an_unknown_label_has_no_ids(searched: Postgres, label: str) -> None:
    (found,) = searched.look_up(asked("media"), [Wanted("brand", label)])

    assert found.ids == ()


def test_an_unknown_label_names_the_nearest(searched: Postgres) -> None:
    (found,) = searched.look_up(asked("media"), [Wanted("product_designer", "Gray's")])

    assert "Eileen Gray" in (*found.nearest, *found.labels)


def test_a_found_label_filters(searched: Postgres) -> None:
    query = asked("media")
    (found,) = searched.look_up(query, [Wanted("product_designer", "koppel")])

    hits = searched.search(
        asked("media", ("product_designer", "vocab_id_in", list(found.ids)))
    )

    assert hits.total > 0
    assert {"Henning Koppel"} == {r.values["product_designer"] for r in hits.rows}


def test_samples_are_values_extents_and_labels(searched: Postgres) -> None:
    query = asked("media")
    samples = searched.sample(query.caller, query.registry.manifest)

    assert "Lyon" in samples["city"].values
    assert "Henning Koppel" in samples["product_designer"].labels
    assert samples["iso"].low == 100.0
    assert samples["iso"].high == 1600.0
    assert str(samples["taken_on"].high).startswith("2026-11-2")
    assert "internal_note" not in samples
    assert all(len(s.values) <= 25 and len(s.labels) <= 50 for s in samples.values())


def test_definitions_are_read_from_where_the_tenant_keeps_them(
    searched: Postgres,
) -> None:
    query = asked("media")
    found = searched.definitions(query.caller, query.registry.manifest)

    assert definitions("aurore") == found
    assert len(found) == 48


def test_all_suppliers(searched: Postgres) -> None:
    suppliers = searched.search(
        asked("persons", ("relation", "with_role", "fournisseurs"), limit=100)
    )
    in_english = searched.search(
        asked("persons", ("relation", "with_role", "Supplier"), limit=100)
    )

    assert suppliers.total > 0
    assert {r.id for r in suppliers.rows} == {r.id for r in in_english.rows}
    assert all("supplier" in r.values["roles"] for r in suppliers.rows)


def test_clients_not_yet_tagged_vip(searched: Postgres) -> None:
    clients = asked("persons", ("relation", "with_role", "client"), limit=500)
    others = asked(
        "persons",
        ("relation", "with_role", "client"),
        ("relation", "without_role", "vip"),
        limit=500,
    )
    tagged = {r.id for r in searched.search(clients).rows if "VIP" in r.values["tags"]}
    found = {r.id for r in searched.search(others).rows}

    assert tagged
    assert {r.id for r in searched.search(clients).rows} - tagged == found


def test_a_person_is_found_by_name_inside_the_statement(searched: Postgres) -> None:
    hits = searched.search(
        asked(
            "events",
            ("person", "person_name", "marie"),
            ("happened_on", "in_period", "last_month"),
            limit=50,
        )
    )

    assert any("winter coats" in r.values["content"] for r in hits.rows)
    for row in hits.rows:
        assert any("Marie" in name for name in row.values["people"])
        assert row.values["happened_on"].startswith(("2026-10", "2026-09-30"))


def test_a_hidden_contact_gives_no_event_and_no_name(
    demo: Database, searched: Postgres
) -> None:
    """An event is seen, its hidden contact is not: neither matches nor is named."""
    pair = """SELECT l.event_id::text, c.name FROM crm.links AS l
        JOIN crm.events AS e USING (tenant) JOIN crm.contacts AS c USING (tenant)
        WHERE l.tenant = 'aurore' AND e.id = l.event_id AND c.id = l.contact_id
          AND e.is_public AND NOT c.is_public AND c.owner <> 'x' LIMIT 1"""
    with psycopg.connect(demo.dsn) as connection:
        row = connection.execute(pair).fetchone()
    assert row is not None
    event, name = row
    stranger = asked("events", subject="x")
    (seen,) = searched.fetch(stranger, [event])

    named = asked("events", ("person", "person_name", name), subject="x", limit=500)

    assert event not in {r.id for r in searched.search(named).rows}
    assert len(seen.values["people"]) < 2
