"""A note written, found, undone: with scope and grant, marked, audited, once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from psycopg import sql

from infra.local.stack import Stack
from tests.integration.handlers.conftest import Call, Post, Send, told
from tests.unit.edge.fake_agent import ERAS

SCOPES = "events:read persons:read notes:write"
TRUSTED = {"persons": "trusted", "events": "trusted"}
READING = "events:read persons:read"
_AUDIT = sql.SQL(
    "SELECT action, ai_author, ai_client, subject, event_id::text"
    " FROM crm.note_audit ORDER BY id"
)
_EVENTS = sql.SQL("SELECT count(*) FROM crm.events WHERE content = %s")
Mint = Callable[..., str]


@pytest.fixture
def mint(token: Mint, request: pytest.FixtureRequest) -> Mint:
    """Mint tokens of Camille through a client that is this test's own."""
    client = f"bot-{abs(hash(request.node.name)) % 10**8}"

    def minted(**claims: Any) -> str:
        usual = {"user": "camille", "client": client, "scope": SCOPES}
        return token(**usual | {"profile": TRUSTED} | claims)

    return minted


@pytest.fixture
def writer(mint: Mint, post: Post, token: Mint) -> str:
    """A token whose client the organisation has allowed to write."""
    granted = {"scope": "notes:write", "reason": "a test"}
    body = granted | {"client": client_of(mint)}
    admin = token(user="boss", scope="admin")
    assert post("/v1/admin/grants", body, admin).status == 200
    return mint()


def client_of(mint: Mint) -> str:
    import jwt

    read = jwt.decode(mint(), options={"verify_signature": False})
    return str(read["client_id"])


def rows(seeded: Stack, query: sql.SQL, *values: Any) -> list[tuple[Any, ...]]:
    with psycopg.connect(seeded.dsn) as connection:
        return connection.execute(query, values).fetchall()


def write(call: Call, bearer: str, text: str, **more: Any) -> dict[str, Any]:
    given = {"text": text, "request_id": text} | more
    return call("log_note", bearer, **given)


def test_a_note_is_written_found_and_undone(
    call: Call, post: Post, writer: str, seeded: Stack
) -> None:
    (marie, *_) = call("search_persons", writer, query="Marie")["structuredContent"][
        "hits"
    ]
    text = "Zzmarie wants samples of the heron fabric"
    before = len(rows(seeded, _AUDIT))

    made = write(call, writer, text, people=[marie["ref"]])["structuredContent"]
    found = call("search_events", writer, query="zzmarie")["structuredContent"]["hits"]
    tree = {
        "type": "group",
        "operator": "and",
        "rules": [
            {"field": "content", "operator": "contains", "value": "zzmarie"},
        ],
    }
    over_http = post("/v1/execute", {"source": "events", "tree": tree}, writer).json
    whole = call("get_record", writer, source="events", ref=made["note_ref"])
    gone = call("undo_note", writer, note_ref=made["note_ref"])
    after = call("search_events", writer, query="zzmarie")["structuredContent"]["hits"]

    assert [hit["ref"] for hit in found] == [made["note_ref"]]
    assert found[0]["people"] == [marie["title"]]
    for hit in (found[0], over_http["hits"][0]):
        assert hit["mark"].startswith("◆ bot-")
        assert " via bot-" in hit["mark"]
    assert "◆" in told(whole)
    assert not gone.get("isError")
    assert made["note_ref"] not in [hit["ref"] for hit in after]
    (written, undone) = rows(seeded, _AUDIT)[before:]
    assert (written[0], undone[0]) == ("written", "undone")
    assert written[1:] == undone[1:]
    assert "camille" not in written


def test_a_retried_note_is_one_note(call: Call, writer: str, seeded: Stack) -> None:
    text = "zzonce and no more"

    first, second = (write(call, writer, text) for _ in range(2))

    assert first["structuredContent"] == second["structuredContent"]
    assert rows(seeded, _EVENTS, text) == [(1,)]


def test_undone_twice_is_undone_once(call: Call, writer: str, seeded: Stack) -> None:
    made = write(call, writer, "zztwice")["structuredContent"]
    answers = [call("undo_note", writer, note_ref=made["note_ref"]) for _ in range(2)]

    assert answers[0] == answers[1]
    assert rows(seeded, _EVENTS, "zztwice") == [(0,)]


def test_without_the_grant_nothing_is_written(
    call: Call, mint: Mint, seeded: Stack
) -> None:
    answer = write(call, mint(), "zzungranted")

    assert answer["isError"]
    assert "administrator" in told(answer)
    assert rows(seeded, _EVENTS, "zzungranted") == [(0,)]


def test_without_the_scope_no_tool_writes_and_the_challenge_names_it(
    send: Send, mint: Mint
) -> None:
    reader = mint(scope=READING)
    listed = send(ERAS[1], "tools/list", reader).json["result"]["tools"]
    arguments = {"text": "x", "request_id": "x"}

    for era in ERAS:
        refused = send(era, "tools/call", reader, name="log_note", arguments=arguments)
        assert refused.status == 403
        challenge = refused.headers["www-authenticate"]
        assert 'error="insufficient_scope"' in challenge
        assert "notes:write" in challenge
    assert all(tool["annotations"]["readOnlyHint"] for tool in listed)


def test_what_writes_says_so(send: Send, mint: Mint) -> None:
    listed = send(ERAS[1], "tools/list", mint()).json["result"]["tools"]

    writing = [t["name"] for t in listed if not t["annotations"]["readOnlyHint"]]
    assert writing == ["log_note", "undo_note"]


@pytest.mark.parametrize("people", [["a" * 26], ["nonsense"]])
def test_a_person_out_of_sight_is_nobody(
    call: Call, writer: str, seeded: Stack, people: list[str]
) -> None:
    answer = write(call, writer, "zznobody", people=people)

    assert answer["isError"]
    assert "not there" in told(answer)
    assert rows(seeded, _EVENTS, "zznobody") == [(0,)]


def test_a_foreign_contact_is_nobody(
    call: Call, writer: str, token: Mint, seeded: Stack
) -> None:
    theirs = token(tenant="boreal", user="erik", profile=TRUSTED)
    hits = call("search_persons", theirs, query="Marie")["structuredContent"]["hits"]

    answer = write(call, writer, "zzforeign", people=[hits[0]["ref"]])

    assert answer["isError"]
    assert rows(seeded, _EVENTS, "zzforeign") == [(0,)]


@pytest.mark.parametrize(
    "other", [{"user": "louis"}, {"account": "other"}, {"actor": "somebody"}]
)
def test_only_its_author_undoes_a_note(
    call: Call, mint: Mint, writer: str, seeded: Stack, other: dict[str, str]
) -> None:
    text = f"zzauthor {other}"
    made = write(call, writer, text)["structuredContent"]

    foreign = call("undo_note", mint(**other), note_ref=made["note_ref"])
    unknown = call("undo_note", writer, note_ref="a" * 26)

    assert foreign["isError"]
    assert told(foreign) == told(unknown)
    assert rows(seeded, _EVENTS, text) == [(1,)]


def test_what_people_wrote_is_not_undone(call: Call, writer: str) -> None:
    hits = call("search_events", writer, query="Marie")["structuredContent"]["hits"]

    answer = call("undo_note", writer, note_ref=hits[0]["ref"])

    assert answer["isError"]
    assert "no such note" in told(answer)


def test_a_colleague_of_the_team_finds_it_and_others_do_not(
    call: Call, writer: str, token: Mint
) -> None:
    write(call, writer, "zzteam secret")

    seen = {
        user: call("search_events", token(user=user, profile=TRUSTED), query="zzteam")
        for user in ("nora", "louis", "jeanne")
    }

    found = {u: len(a["structuredContent"]["hits"]) for u, a in seen.items()}
    assert found == {"nora": 1, "louis": 0, "jeanne": 0}


@pytest.mark.parametrize(
    "verb", ["UPDATE crm.note_audit SET at = now()", "DELETE FROM crm.note_audit"]
)
def test_the_audit_is_append_only_even_for_a_superuser(
    seeded: Stack, call: Call, writer: str, verb: str
) -> None:
    write(call, writer, f"zzaudit {verb}")

    with (
        psycopg.connect(seeded.dsn) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute(sql.SQL(verb))


def test_an_ended_grant_ends_the_writing(
    call: Call, mint: Mint, writer: str, post: Post, token: Mint
) -> None:
    before = write(call, writer, "zzended before")
    body = {"client": client_of(mint), "scope": "notes:write", "reason": "over"}
    post("/v1/admin/grants/end", body, token(user="boss", scope="admin"))

    after = write(call, writer, "zzended after")

    assert not before.get("isError")
    assert after["isError"]
