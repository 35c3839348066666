"""What is kept of a person: told whole, and taken away on every surface."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from psycopg import sql

from infra.local.stack import Response, Stack
from tests.integration.handlers.conftest import Call, Post, told
from vitrine.caller import Caller
from vitrine.store.audit import Entry, entries
from vitrine.store.table import Table

EXPORT, ERASURE = "/v1/admin/export", "/v1/admin/erasure"
WHY = "they have left and asked for it"
TRUSTED = {"persons": "trusted", "events": "trusted", "media": "closed"}
PHOTOS = {
    "type": "group",
    "operator": "and",
    "rules": [{"field": "kind", "operator": "equals", "value": "photo"}],
}
SCOPES = "media:read persons:read events:read notes:write"
_EVENT = sql.SQL("SELECT content, resolution FROM crm.events WHERE content LIKE %s")
_ACTIONS = sql.SQL("SELECT action FROM crm.note_audit WHERE subject = %s ORDER BY id")
Mint = Callable[..., str]


@dataclass(frozen=True)
class Someone:
    """A person of a tenant, their token, and a word that stands in all they said."""

    name: str
    word: str
    bearer: str
    tenant: str = "aurore"


@dataclass(frozen=True)
class Traces:
    """What somebody has left behind."""

    session: str
    search: str
    share: str
    handle: str
    note: str
    day_left: int


@pytest.fixture
def someone(token: Mint, request: pytest.FixtureRequest) -> Callable[..., Someone]:
    """Make a person of this test's own, by a word."""

    def made(word: str, **claims: Any) -> Someone:
        name = f"{word}-{request.node.name}"
        usual = {"user": name, "client": "bot", "scope": SCOPES, "profile": TRUSTED}
        bearer = token(**usual | claims)
        return Someone(name, word, bearer, claims.get("tenant", "aurore"))

    return made


@pytest.fixture
def browse(post: Post) -> Callable[[Someone], dict[str, Any]]:
    """Let a person talk, look through a page, save a search and share it."""

    def browsed(who: Someone) -> dict[str, Any]:
        said = {"source": "media", "message": f"photos {who.word}", "language": "en"}
        session = post("/v1/interpret", said, who.bearer).json["session"]
        ran = post("/v1/execute", {"source": "media", "tree": PHOTOS}, who.bearer)
        assert ran.status == 200, ran.body
        saving = {"source": "media", "name": who.word, "tree": PHOTOS}
        search = post("/v1/searches", saving, who.bearer).json["search"]
        link = post(f"/v1/searches/{search}/share", {"days": 1}, who.bearer).json
        day_left = ran.json["budget"]["day_left"]
        found = {"session": session, "search": search, "day_left": day_left}
        return found | {"share": link["share"]}

    return browsed


@pytest.fixture
def live(
    post: Post, call: Call, browse: Callable[[Someone], dict[str, Any]], boss: str
) -> Callable[[Someone], Traces]:
    """Let a person do all that leaves something in the table."""

    def lived(who: Someone) -> Traces:
        grant = {"client": "bot", "scope": "notes:write", "reason": "a test"}
        assert post("/v1/admin/grants", grant, boss).status == 200
        found = call("search_persons", who.bearer, query="Marie", request_id="r-1")
        text = f"photos {who.word}"
        note = call("log_note", who.bearer, text=text, request_id="r-2")
        for answer in (found, note):
            assert not answer.get("isError"), told(answer)
        return Traces(
            **browse(who),
            handle=found["structuredContent"]["session"],
            note=note["structuredContent"]["note_ref"],
        )

    return lived


@pytest.fixture
def ask(post: Post, boss: str) -> Callable[..., Response]:
    """Ask for a person's data as the administrator, or with a token."""

    def asked(path: str, who: Someone, bearer: str = "", **more: Any) -> Response:
        body = {"subject": who.name} | more
        if path == ERASURE:
            body |= {"reason": more.get("reason", WHY)}
        return post(path, body, bearer or boss)

    return asked


Ask = Callable[..., Response]
Live = Callable[[Someone], Traces]
Make = Callable[..., Someone]


def rows(table: Table, since: datetime, tenant: str = "aurore") -> list[Entry]:
    until = datetime.now(UTC) + timedelta(seconds=1)
    return list(entries(table, tenant, since=since, until=until))


def test_who_is_erased_is_gone_on_every_surface(
    seeded: Stack, post: Post, call: Call, *, ask: Ask, someone: Make, live: Live
) -> None:
    who, colleague = someone("zzheron"), someone("zzowl")
    left, theirs = live(who), live(colleague)

    answer = ask(ERASURE, who).json

    begun = {"source": "media", "session": left.session}
    gone = [
        seeded.call("GET", f"/v1/sessions/{left.session}", None, who.bearer),
        post("/v1/execute", begun, who.bearer),
        post("/v1/interpret", begun | {"message": "red ones"}, who.bearer),
        seeded.call("GET", f"/v1/searches/{left.search}", None, who.bearer),
        post("/v1/searches/open", {"share": left.share}, colleague.bearer),
    ]
    taken = answer["erased"]
    assert answer["complete"] is True
    assert (taken["searches"], taken["notes"]) == (1, 1)
    assert taken["sessions"] >= 2
    assert taken["records"] >= 1
    assert taken["answers"] >= 1
    assert [one.status for one in gone] == [404] * 5
    assert seeded.call("GET", "/v1/searches", None, who.bearer).json["searches"] == []
    record = {"source": "events", "ref": left.note}
    assert call("search_persons", who.bearer, query="x", session=left.handle)["isError"]
    assert call("get_record", who.bearer, **record)["isError"]
    kept = [
        seeded.call("GET", f"/v1/sessions/{theirs.session}", None, colleague.bearer),
        seeded.call("GET", f"/v1/searches/{theirs.search}", None, colleague.bearer),
        post("/v1/searches/open", {"share": theirs.share}, colleague.bearer),
    ]
    assert [one.status for one in kept] == [200] * 3


def test_a_twin_of_another_organisation_is_untouched(
    ask: Ask, someone: Make, browse: Callable[[Someone], Any], token: Mint
) -> None:
    who = someone("zztwin")
    twin = someone("zztwin", tenant="boreal", scope="media:read")
    browse(who)
    browse(twin)
    chief = token(tenant="boreal", user="chief", scope="admin")
    before = ask(EXPORT, twin, chief, dry_run=True).json

    here = ask(ERASURE, who).json
    after = ask(EXPORT, twin, chief, dry_run=True).json

    assert here["erased"]["searches"] == 1
    assert before == after
    assert before["counts"]["searches"] == 1
    assert before["person"] != here["person"]


def test_budgets_stay_spent(post: Post, ask: Ask, someone: Make, live: Live) -> None:
    """Erasing is no way round the closed catalogue."""
    who = someone("zzspent")
    left = live(who)
    before = ask(EXPORT, who, dry_run=True).json["counts"]

    stays = ask(ERASURE, who).json["left"]
    after = ask(EXPORT, who, dry_run=True).json["counts"]

    same = post("/v1/execute", {"source": "media", "tree": PHOTOS}, who.bearer).json
    for kind in ("documents", "facet_values", "tallies", "identities"):
        assert before[kind] == after[kind] == stays[kind]
    assert same["budget"]["day_left"] == left.day_left
    assert set(after) & {"sessions", "searches", "records", "answers"} == set()


def test_an_export_tells_all_of_one_person_and_nothing_of_another(
    ask: Ask, someone: Make, live: Live, boss: str, post: Post
) -> None:
    who, other = someone("zzmine"), someone("zzother")
    left, theirs = live(who), live(other)
    raised = {
        "source": "media",
        "caps": {"day": 400},
        "reason": "zzother needs more",
        "until": (datetime.now(UTC) + timedelta(hours=1)).isoformat(),
    }
    post("/v1/admin/caps", raised | {"user": other.name}, boss)
    post("/v1/admin/caps", raised | {"user": who.name, "reason": "an audit"}, boss)

    answer = ask(EXPORT, who).json

    text = json.dumps(answer, ensure_ascii=False)
    kept = answer["kept"]
    assert left.session in {one["session"] for one in kept["sessions"]}
    assert any("zzmine" in str(one["messages"]) for one in kept["sessions"])
    assert [one["search"] for one in kept["searches"]] == [left.search]
    assert [one["content"] for one in kept["notes"]] == ["photos zzmine"]
    assert [one["caps"] for one in kept["raises"]] == [{"day": 400}]
    assert sum(one["number"] for one in kept["documents"]) > 0
    assert {"cap_raised"} <= {one["action"] for one in kept["orders"]}
    assert "zzother" not in text
    strangers = (theirs.session, theirs.search, theirs.note, theirs.handle)
    assert not [one for one in strangers if one in text]
    alien = Caller("aurore", other.name, "bot")
    assert not [one for one in (alien.identity, alien.person) if one in text]
    assert {kind: len(found) for kind, found in kept.items()} == answer["counts"]


@pytest.mark.parametrize("path", [EXPORT, ERASURE])
def test_a_dry_run_counts_and_does_nothing(
    seeded: Stack, table: Table, path: str, *, ask: Ask, someone: Make, live: Live
) -> None:
    who = someone("zzdry")
    left, since = live(who), datetime.now(UTC)

    answer = ask(path, who, dry_run=True).json

    there = seeded.call("GET", f"/v1/sessions/{left.session}", None, who.bearer)
    counted = answer["counts" if path == EXPORT else "erased"]
    assert answer["dry_run"] is True
    assert answer.get("kept", {}) == {}
    assert counted["sessions"] >= 2
    assert there.status == 200
    assert not [one for one in rows(table, since) if one.subject == answer["person"]]


def test_each_order_leaves_a_row_that_names_nobody(
    ask: Ask, someone: Make, live: Live, table: Table
) -> None:
    who = someone("zzrow")
    live(who)
    since = datetime.now(UTC)
    person = ask(EXPORT, who, reason="a request").json["person"]
    ask(ERASURE, who)

    ours = [one for one in rows(table, since) if one.subject == person]
    assert [one.action for one in ours] == ["person_exported", "person_erased"]
    assert [one.reason for one in ours] == ["a request", WHY]
    assert {one.actor for one in ours} == {"boss"}
    assert "zzrow" not in str(ours)


def test_erased_twice_is_erased_once(ask: Ask, someone: Make, live: Live) -> None:
    who = someone("zzagain")
    live(who)

    first, second = ask(ERASURE, who).json, ask(ERASURE, who).json

    assert first["complete"]
    assert second["complete"]
    assert set(second["erased"].values()) == {0}
    assert first["left"] == second["left"]


@pytest.mark.parametrize(
    "claims", [{"account": "hotel-lumen"}, {"actor": "atelier"}, {"client": "other"}]
)
def test_whatever_they_bought_for_and_whoever_acted_is_found_by_the_name(
    ask: Ask, someone: Make, call: Call, claims: dict[str, str]
) -> None:
    who = someone("zzactor", **claims)
    call("search_persons", who.bearer, query="Marie")

    taken = ask(ERASURE, who).json["erased"]

    assert taken["records"] == 1


def test_a_note_goes_with_its_words_and_its_rows_stay(
    ask: Ask, someone: Make, live: Live, seeded: Stack, call: Call
) -> None:
    who = someone("zznote")
    live(who)
    identity = Caller("aurore", who.name, "bot").identity

    def note(text: str, change: sql.SQL) -> None:
        call("log_note", who.bearer, text=text, request_id=text)
        with psycopg.connect(seeded.dsn) as line:
            line.execute(change, (text,))

    mend = "UPDATE crm.events SET content = content || ', says Nora' WHERE content = %s"
    note("zznote mended", sql.SQL(mend))
    answered = "UPDATE crm.events SET resolution = 'zznoted, N.' WHERE content = %s"
    note("zznote answered", sql.SQL(answered))

    taken = ask(ERASURE, who).json["erased"]
    traces = ask(EXPORT, who).json["kept"]["notes"]

    with psycopg.connect(seeded.dsn) as line:
        found = line.execute(_EVENT, ("%zznote%",)).fetchall()
        actions = [one for (one,) in line.execute(_ACTIONS, (identity,))]
        kept = line.execute(
            "SELECT content FROM crm.events WHERE resolution = 'zznoted, N.'"
        ).fetchall()
    assert taken["notes"] == 3
    assert found == [("zznote mended, says Nora", None)]
    assert kept == [("",)]
    assert actions == ["written"] * 3 + ["erased"] * 3
    assert [one["action"] for one in traces] == actions
    assert not [one for one in traces if "content" in one]


@pytest.mark.parametrize("path", [EXPORT, ERASURE])
def test_only_an_administrator_who_is_a_person_asks(
    path: str, ask: Ask, someone: Make, token: Mint
) -> None:
    who = someone("zzscope")
    strangers = [
        token(scope="media:read notes:write"),
        who.bearer,
        token(user="robot", client="robot", scope="admin"),
    ]

    assert [ask(path, who, one).status for one in strangers] == [403] * 3


@pytest.mark.parametrize(
    "broken",
    [
        {"subject": ""},
        {"reason": "x"},
        {"reason": "because Zzbroken has left"},
        {"tenant": "boreal"},
        {"account": ""},
        {"dry_run": "perhaps"},
    ],
)
@pytest.mark.parametrize("path", [EXPORT, ERASURE])
def test_what_can_not_be_asked_is_refused(
    path: str, post: Post, boss: str, broken: dict[str, Any]
) -> None:
    body = {"subject": "zzbroken", "reason": WHY} | broken

    answer = post(path, body, boss)

    assert answer.status == 422
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_person_who_left_nothing_is_no_error(ask: Ask, someone: Make) -> None:
    who = someone("zznobody")

    found, gone = ask(EXPORT, who, dry_run=True).json, ask(ERASURE, who).json

    assert found["counts"] == {}
    assert gone["complete"]
    assert set(gone["erased"].values()) == {0}


@pytest.mark.parametrize("cursor", ["x", "A" * 80])
def test_a_cursor_that_is_not_ours_is_refused(
    ask: Ask, someone: Make, cursor: str
) -> None:
    assert ask(EXPORT, someone("zzcursor"), cursor=cursor).status == 422
