"""Publishing: approved, resumable, audited; and nothing changes where it fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest
from typesense import Client

from infra.publishing.press import Desk, Done, Empty, Job, Unapproved, perform, rehearse
from infra.publishing.readers import Reader
from tests.integration.publishing.conftest import (
    RECORDS,
    SHOWN,
    START,
    TENANT,
)
from vitrine.caller import Caller
from vitrine.problems import Invalid, Missing
from vitrine.registry.manifest import Manifest
from vitrine.search.engine import Query
from vitrine.store.audit import entries
from vitrine.store.registry import load_registry
from vitrine.store.table import Table
from vitrine.tree.conditions import TRUE, Member
from vitrine.typesense.changes import apply
from vitrine.typesense.encode import Press
from vitrine.typesense.publish import Progress, current, runs_of
from vitrine.typesense.records import Record, publishable
from vitrine.typesense.search import Typesense

Write = Callable[..., Job]
PROFILES = ("closed", "professional", "trusted")
CALLER = Caller(TENANT, "subject", "client")


class Cut(RuntimeError):  # noqa: N818 - a cable's end
    """What ends a run in the middle."""


@dataclass(frozen=True)
class Frayed:
    """A reader that breaks after some records."""

    whole: Reader
    holds: int

    def count(self) -> int | None:
        return self.whole.count()

    def records(self, done: Progress) -> Iterator[Record]:
        for number, record in enumerate(self.whole.records(done)):
            if number == self.holds:
                raise Cut
            yield record


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vitrine.typesense.publish.BATCH", 50)


def test_every_profile_is_published_with_its_registry(
    desk: Desk, job: Write, table: Table
) -> None:
    done = perform(job(), desk)

    assert [SHOWN] * 3 == [run.documents for run in done.runs]
    for profile in PROFILES:
        registry = load_registry(table, TENANT, "products", profile)
        assert (SHOWN, 1) == (registry.documents, registry.version)
        assert registry.sample("material").values
    assert not desk.notebook.path.exists()


def test_an_audit_row_says_what_was_opened_and_on_whose_word(
    desk: Desk, job: Write, table: Table
) -> None:
    given = job()
    perform(given, desk)

    hours = START, START + timedelta(hours=9)
    (row,) = entries(table, TENANT, since=hours[0], until=hours[1])
    assert row.detail
    assert ("pat", "publish", "products", "opening") == (
        row.actor,
        row.action,
        row.subject,
        row.reason,
    )
    assert row.detail["approved"] == given.approve
    assert "closed: a new profile" in row.detail["opened"]
    assert len(RECORDS) - SHOWN == row.detail["held_back"]


@pytest.mark.parametrize("approve", [None, "0123456789abcdef"])
def test_nothing_opens_without_its_approval(
    desk: Desk, job: Write, relation: str, patient: Client, approve: str | None
) -> None:
    with pytest.raises(Unapproved) as refusal:
        perform(job(approve=approve), desk)

    assert len(refusal.value.members["approve"]) == 16
    assert "closed: output price" in refusal.value.detail.splitlines()
    assert runs_of(patient, f"{relation}_{TENANT}_closed") == []


def wider(manifest: Manifest) -> Manifest:
    raw = manifest.model_dump(mode="json")
    raw["profiles"]["closed"]["filter"].append("origin")
    return Manifest.model_validate(raw)


def test_what_opens_no_more_needs_no_approval_again(
    desk: Desk, job: Write, manifest: Manifest
) -> None:
    perform(job(), desk)
    assert perform(job(approve=None), desk).opened == ()

    with pytest.raises(Unapproved) as refusal:
        perform(job(said=wider(manifest), approve=None), desk)

    assert refusal.value.detail == "closed: filter origin"
    word = refusal.value.members["approve"]
    done = perform(job(said=wider(manifest), approve=word), desk)
    assert done.opened == ("closed: filter origin",)
    assert [2 + 1] * 3 == [registry.version for registry in done.registries]


@pytest.mark.usefixtures("short")
def test_a_run_that_was_cut_goes_on_where_it_ended(
    desk: Desk, job: Write, relation: str, patient: Client
) -> None:
    whole = job()
    alias = f"{relation}_{TENANT}_closed"
    for holds in (120, 140):
        with pytest.raises(Cut):
            perform(replace(whole, reader=Frayed(whole.reader, holds)), desk)
        assert current(patient, alias) is None
        state = desk.notebook.read()
        assert state
        assert state.taken

    done = perform(whole, desk)

    assert done.resumed == 100
    assert [SHOWN] * 3 == [run.documents for run in done.runs]
    assert len(runs_of(patient, alias)) == 1


@pytest.mark.usefixtures("short")
def test_another_job_does_not_go_on_with_a_cut_run(
    desk: Desk, job: Write, manifest: Manifest, relation: str, patient: Client
) -> None:
    whole = job()
    with pytest.raises(Cut):
        perform(replace(whole, reader=Frayed(whole.reader, 120)), desk)

    done = perform(job(said=wider(manifest)), desk)

    assert done.resumed == 0
    assert [SHOWN] * 3 == [run.documents for run in done.runs]
    assert len(runs_of(patient, f"{relation}_{TENANT}_closed")) == 1


@pytest.mark.usefixtures("short")
def test_records_that_moved_make_a_run_begin_anew(desk: Desk, job: Write) -> None:
    whole = job()
    with pytest.raises(Cut):
        perform(replace(whole, reader=Frayed(whole.reader, 120)), desk)

    done = perform(job(RECORDS[7:]), desk)

    shown = sum(record["published"] for record in RECORDS[7:])
    assert [shown] * 3 == [run.documents for run in done.runs]


def test_a_record_that_does_not_fit_leaves_everything_as_it_was(
    desk: Desk, job: Write, relation: str, patient: Client, table: Table
) -> None:
    perform(job(), desk)
    alias = f"{relation}_{TENANT}_closed"
    before = current(patient, alias)
    broken = {**RECORDS[0], "id": "X", "published": True, "material": "unobtainium"}

    with pytest.raises(Invalid):
        perform(job([*RECORDS, broken]), desk)

    assert runs_of(patient, alias) == [before]
    assert load_registry(table, TENANT, "products", "closed").version == 1
    assert not desk.notebook.path.exists()


@pytest.mark.parametrize("left", [[], [{**RECORDS[0], "published": False}]])
def test_nothing_never_takes_the_place_of_what_is_searched(
    desk: Desk, job: Write, relation: str, patient: Client, left: list[Record]
) -> None:
    perform(job(), desk)
    alias = f"{relation}_{TENANT}_closed"
    before = current(patient, alias)

    with pytest.raises(Empty, match="what is searched now stays"):
        perform(job(left), desk)

    assert runs_of(patient, alias) == [before]
    assert not desk.notebook.path.exists()


def test_an_id_that_stands_twice_is_refused(desk: Desk, job: Write) -> None:
    with pytest.raises(Invalid, match="1 values") as refusal:
        perform(job([*RECORDS[:9], RECORDS[3]]), desk)

    assert "stands twice" in refusal.value.faults[0].message


def test_a_rehearsal_changes_nothing(
    desk: Desk, job: Write, relation: str, patient: Client, table: Table
) -> None:
    outlook = rehearse(job(approve=None), desk)

    assert SHOWN == outlook.survey.published
    assert set(outlook.survey.memory) == set(PROFILES)
    assert "closed: output price" in outlook.opens
    assert runs_of(patient, f"{relation}_{TENANT}_closed") == []
    with pytest.raises(Missing):
        load_registry(table, TENANT, "products", "closed")


def gathering(manifest: Manifest) -> Manifest:
    raw = manifest.model_dump(mode="json")
    brand = next(f for f in raw["fields"] if f["key"] == "brand")
    brand["choices"] = None
    raw["origin"] = {"only": {"published": [True]}, "gathered": ["brand"]}
    return Manifest.model_validate(raw)


def test_codes_and_ids_of_what_is_there_never_change(
    desk: Desk, job: Write, manifest: Manifest, patient: Client
) -> None:
    def known(records: list[dict[str, Any]]) -> tuple[dict[str, str], set[str]]:
        done = perform(job(records, gathering(manifest)), desk)
        registry = done.registries[0]
        brand = registry.fields["brand"]
        found = Typesense(patient).search(Query(CALLER, registry, TRUE, limit=250))
        codes = {c.value: c.code for c in brand.choices or ()}
        return codes, {row.id for row in found.rows}

    few = [r for r in RECORDS[:120] if r.get("brand") != "Atelier Vigne"]
    codes, ids = known(few)
    more, others = known(RECORDS[:120])

    assert "Atelier Vigne" not in codes
    assert "Atelier Vigne" in more
    assert codes.items() <= more.items()
    assert ids <= others


def test_a_gathered_value_is_found_by_its_label(
    desk: Desk, job: Write, manifest: Manifest, patient: Client
) -> None:
    registry = perform(job(said=gathering(manifest)), desk).registries[0]
    code = next(c.code for c in registry.fields["brand"].choices or ())
    value = next(c.value for c in registry.fields["brand"].choices or ())

    condition = Member(registry.fields["brand"], (code,))
    found = Typesense(patient).search(Query(CALLER, registry, condition, limit=250))

    shown = [r for r in RECORDS if r["published"] and r.get("brand") == value]
    assert len(shown) == found.total > 0
    assert {value} == {row.values["brand"] for row in found.rows}


@pytest.mark.usefixtures("short")
def test_changes_made_during_a_run_stand(
    desk: Desk, job: Write, patient: Client
) -> None:
    whole = job()
    first = perform(whole, desk)
    with pytest.raises(Cut):
        perform(replace(whole, reader=Frayed(whole.reader, 60)), desk)
    newer, gone = [r for r in RECORDS[100:] if r["published"]][:2]

    apply(
        patient,
        Press(first.registries, desk.key),
        [{**newer, "name": "A newer name"}],
        [gone["id"]],
        publishable=publishable(whole.manifest),
    )
    told = {"A newer name", newer["sku"], gone["sku"]}
    assert said_of(patient, first) & told == told - {gone["sku"]}
    done = perform(whole, desk)

    assert [SHOWN - 1] * 3 == [run.documents for run in done.runs]
    assert done.runs[0].collection != first.runs[0].collection
    assert said_of(patient, done) & told == told - {gone["sku"]}


def said_of(client: Client, done: Done) -> set[str]:
    """Give all names and codes that the trusted profile finds."""
    query = Query(CALLER, done.registries[2], TRUE, limit=250)
    rows = Typesense(client).search(query).rows
    return {str(row.values[key]) for row in rows for key in ("name", "sku")}
