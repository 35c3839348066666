"""Pages of an export and a cut erasure, over a table in memory and a scripted clock."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from infra.attack.shelf import Shelf
from infra.local.seed import manifest_of
from vitrine.caller import Caller
from vitrine.disclosure.budgets import Caps, Identity
from vitrine.edge import personal
from vitrine.edge.personal import (
    Erased,
    Erasing,
    Exported,
    Exporting,
    Taken,
    erased,
    exported,
)
from vitrine.edge.wiring import Wiring
from vitrine.problems import Invalid, Missing
from vitrine.registry.profiles import registry_for
from vitrine.seal import Ring
from vitrine.session import Session
from vitrine.store import budgets, grants, habits, raises, searches, sessions
from vitrine.store.audit import Entry, append, entries
from vitrine.store.budgets import Account
from vitrine.store.grants import Grant
from vitrine.store.known import remember
from vitrine.store.personal import _TOLD
from vitrine.store.planted import Known, tell
from vitrine.store.raises import Raise
from vitrine.store.rate import SEARCHES, take
from vitrine.store.registry import put_registry
from vitrine.store.replay import Once, once
from vitrine.store.searches import Saved

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
BOSS = Caller("t", "boss", "desk", scopes=frozenset({"admin"}))
ADA = Caller("t", "ada", "web")
WHY = "they asked for it"


class Desk(Wiring):
    """A wiring over a shelf, whose clock ticks when it is asked for seconds."""

    def __init__(self, tick: float = 0.0) -> None:
        super().__init__(environ={}, seconds=self._ticked)
        self._at, self._tick = NOW.timestamp(), tick
        self.__dict__["table"] = Shelf()

    @property
    def ring(self) -> Ring:
        """Seal with a key of the test's."""
        return Ring([b"k" * 32], self.nonce)

    def _ticked(self) -> float:
        self._at += self._tick
        return self._at

    def slow(self, tick: float) -> None:
        """Let so many seconds pass between two looks."""
        self._tick = tick


@pytest.fixture
def desk() -> Desk:
    """A table in which Ada has five sessions, and Bob one."""
    made = Desk()
    for number in range(5):
        begin(made, ADA, f"s-{number}")
    begin(made, Caller("t", "bob", "web"), "b-1")
    return made


def begin(desk: Desk, who: Caller, number: str) -> Session:
    session = Session(number, who.tenant, who.subject, who.client, "shop")
    return sessions.begin(desk.table, session, now=NOW)


def export(desk: Desk, cursor: str | None = None, **more: Any) -> Exported:
    return exported(desk, BOSS, Exporting(subject="ada", cursor=cursor, **more))


def erase(desk: Desk, **more: Any) -> Erased:
    return erased(desk, BOSS, Erasing(subject="ada", reason=WHY, **more))


def pages(desk: Desk) -> Iterator[Exported]:
    page = export(desk)
    yield page
    while page.next_cursor:
        page = export(desk, page.next_cursor)
        yield page


def orders(desk: Desk) -> list[str]:
    last = datetime(2027, 1, 1, tzinfo=UTC)
    return [e.action for e in entries(desk.table, "t", since=NOW, until=last)]


def test_pages_tell_everything_once_and_in_order(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = export(desk)
    monkeypatch.setattr(personal, "PAGE", 1)

    told = list(pages(desk))

    said = [one for page in told for one in page.kept.get("sessions", ())]
    assert len(told) >= 5
    assert list(whole.kept["sessions"]) == said
    assert [one["session"] for one in said] == [f"s-{n}" for n in range(5)]
    assert whole.next_cursor is None


def test_an_export_is_audited_once_however_many_pages(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(personal, "PAGE", 1)

    list(pages(desk))

    assert orders(desk) == ["person_exported"]


def test_what_comes_between_two_pages_moves_nothing(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(personal, "PAGE", 1)
    told = pages(desk)
    first = next(page for page in told if "sessions" in page.kept)
    begin(desk, ADA, "s-00")
    remember(desk.table, ADA, "shop", ["r"], now=NOW)
    sessions.delete(desk.table, ADA, "s-3", now=NOW)

    rest = [one["session"] for page in told for one in page.kept.get("sessions", ())]

    assert [one["session"] for one in first.kept["sessions"]] == ["s-0"]
    assert rest == ["s-00", "s-1", "s-2", "s-4"]


@pytest.mark.parametrize(
    ("whose", "more"),
    [
        (BOSS, {"subject": "bob"}),
        (BOSS, {"dry_run": True}),
        (BOSS, {"account": "acme"}),
        (Caller("t", "other", "desk", scopes=BOSS.scopes), {}),
        (Caller("u", "boss", "desk", scopes=BOSS.scopes), {}),
    ],
)
def test_a_cursor_goes_on_with_its_own_question_alone(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, whose: Caller, more: dict[str, Any]
) -> None:
    """Else it would be a way past the audit row."""
    monkeypatch.setattr(personal, "PAGE", 1)
    cursor = export(desk).next_cursor

    with pytest.raises(Invalid):
        exported(desk, whose, Exporting(**{"subject": "ada", "cursor": cursor} | more))


def test_an_erasure_that_ran_out_of_time_is_gone_on_with(desk: Desk) -> None:
    desk.slow(5)
    calls = [erase(desk)]
    while not calls[-1].complete:
        calls.append(erase(desk))

    assert len(calls) > 1
    assert sum(call.erased.sessions for call in calls) == 5
    assert [call.left is None for call in calls] == [True] * (len(calls) - 1) + [False]
    assert orders(desk) == ["person_erased"] * len(calls)
    assert "sessions" not in export(desk, dry_run=True).counts


def test_a_turn_that_began_before_brings_nothing_back(desk: Desk) -> None:
    session = sessions.load(desk.table, ADA, "s-0", now=NOW)
    erase(desk)

    with pytest.raises(Missing):
        sessions.save(desk.table, session, seen=session.version, now=NOW)
    assert export(desk, dry_run=True).counts == {"orders": 1}


def test_two_at_once_take_each_item_once(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second runs while the first is at its first session."""
    inner: list[Erased] = []
    take = personal.remove

    def meanwhile(*given: Any) -> bool:
        monkeypatch.setattr(personal, "remove", take)
        inner.append(erase(desk))
        return take(*given)

    monkeypatch.setattr(personal, "remove", meanwhile)
    monkeypatch.setattr(desk.table.__class__, "query", _whole(desk.table.__class__))

    outer = erase(desk)

    assert outer.complete
    assert outer.erased.sessions + inner[0].erased.sessions == 5


def _whole(kind: Any) -> Any:
    """Read a range whole at the first look, as a page of DynamoDB's comes."""
    query = kind.query
    return lambda *given, **more: iter(list(query(*given, **more)))


def test_what_is_anothers_stays(desk: Desk) -> None:
    erase(desk)

    bob = Caller("t", "bob", "web")
    assert sessions.load(desk.table, bob, "b-1", now=NOW).id == "b-1"


MEDIA = registry_for(manifest_of("media"), "closed", tenant="t", documents=9)
CAPS = Caps(30, 20, 40, 60, 120, 40, 20, 5)
GOES = {"sessions", "searches", "records", "answers", "known", "raises"}


def leave(desk: Desk, who: Caller) -> None:
    """Leave one of everything that is kept of a person."""
    table, source = desk.table, MEDIA.source
    names = (who.tenant, source, who.identity, who.company)
    account = Account(table, Identity(*names, f"of-{who.subject}", "web"), CAPS)
    budgets.admit(account, now=NOW)
    budgets.charge(account, ["one"], now=NOW)
    budgets.charge_facets(account, {"kind": ["photo"]}, now=NOW)
    begin(desk, who, f"of-{who.subject}")
    saved = Saved(f"by-{who.subject}", "photos", source, {}, NOW)
    searches.save(table, who, saved)
    term = MEDIA.manifest.ambiguous[0].term
    habits.vote(table, who, source, chosen=(term, "subject"), now=NOW)
    remember(table, who, source, ["r"], now=NOW)
    take(table, who, SEARCHES, now=NOW)
    once(table, Once(who, "r-1", "d"), lambda: ({}, who.subject), now=NOW)
    until = NOW.replace(year=2027)
    one = Raise(source, "identity", who.identity, {"day": 400}, until, "boss", WHY)
    raises.give(table, who.tenant, one, now=NOW)
    given = Grant(who.client, "notes:write", who.subject, WHY)
    grants.give(table, who.tenant, given, now=NOW)
    order = Entry(NOW, who.subject, "grant_given", "web", WHY)
    append(table, who.tenant, order, number=who.subject)


@pytest.fixture
def full() -> Desk:
    """A table in which Ada and Bob have left one of everything."""
    made = Desk()
    put_registry(made.table, MEDIA, now=NOW)
    both = (ADA, Caller("t", "bob", "other"))
    for who in both:
        leave(made, who)
    tell(made.table, "t", MEDIA.source, [Known(w.identity, ("d",)) for w in both])
    return made


def items(desk: Desk) -> set[tuple[str, str]]:
    shelf: Any = desk.table
    return set(shelf.items)


def test_one_of_everything_is_told_by_kind(full: Desk) -> None:
    told = export(full)

    assert set(told.counts) == set(_TOLD)
    assert set(told.counts.values()) <= {1, 2}
    assert "bob" not in str(told.kept)
    assert told.kept["answers"][0]["answer"] == [{}, "ada"]
    assert told.kept["sessions"][0]["shown"] == 1
    assert told.kept["known"][0]["number"] == 1


def test_what_goes_goes_and_what_stays_stays(full: Desk) -> None:
    before, counts = items(full), export(full, dry_run=True).counts

    answer = erase(full)
    after = export(full, dry_run=True).counts

    assert answer.erased == Taken(**dict.fromkeys(GOES, 1))
    assert set(counts) - set(after) == GOES
    assert answer.left is not None
    assert {k: after[k] for k in type(answer.left).model_fields} == dict(answer.left)
    gone = before - items(full)
    # Beside one of each: what the session has shown, and whose orders are known.
    assert len(gone) == len(GOES) + 2
    assert not [key for key in gone if "bob" in str(key)]


def test_what_is_kept_of_another_is_the_same_to_the_byte(full: Desk) -> None:
    shelf: Any = full.table
    before = {key: dict(item) for key, item in shelf.items.items()}

    erase(full)

    bob = Caller("t", "bob", "other")
    names = (bob.identity, bob.company, bob.person, "bob")
    theirs = {key for key in before if any(name in str(key) for name in names)}
    assert len(theirs) >= len(_TOLD) - 1
    assert {key: shelf.items[key] for key in theirs} == {k: before[k] for k in theirs}
