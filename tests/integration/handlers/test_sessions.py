"""A session in an editor's hands, saved searches, and links to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from infra.local.stack import Response, Stack

Ask = Callable[..., Response]
LAMP = {"field": "category", "operator": "equals", "value": "table lamp"}
CHEAP = {"field": "price", "operator": "less_than", "value": 200}


def tree(*rules: dict[str, Any]) -> dict[str, Any]:
    return {"type": "group", "operator": "and", "rules": list(rules)}


@pytest.fixture
def ask(seeded: Stack, token: Callable[..., str]) -> Ask:
    """Send a request as this test's shopper, or with a token."""

    def asked(method: str, path: str, body: Any = None, bearer: str = "") -> Response:
        return seeded.call(method, path, body, bearer or token())

    return asked


def begin(ask: Ask, *rules: dict[str, Any], bearer: str = "") -> dict[str, Any]:
    body = {"source": "products", "tree": tree(*rules), "language": "en"}
    answer = ask("POST", "/v1/sessions", body, bearer)
    assert answer.status == 200, answer.body
    return dict(answer.json)


def save(ask: Ask, name: str = "lamps", **what: Any) -> dict[str, Any]:
    body = {"source": "products", "name": name, **(what or {"tree": tree(LAMP)})}
    answer = ask("POST", "/v1/searches", body)
    assert answer.status == 200, answer.body
    return dict(answer.json)


def test_an_editors_session_is_the_chats(ask: Ask) -> None:
    held = begin(ask, LAMP)
    said = {"source": "products", "message": "under 200 euros", "language": "en"}

    turn = ask("POST", "/v1/interpret", said | {"session": held["session"]}).json
    after = ask("GET", f"/v1/sessions/{held['session']}").json
    found = ask(
        "POST", "/v1/execute", {"source": "products", "session": held["session"]}
    ).json

    assert held["messages"] == []
    assert "table lamp" in held["sentence"]
    assert turn["tree"] == after["tree"]
    assert (after["version"], len(after["messages"])) == (1, 2)
    assert found["hits"]


def test_an_edit_replaces_the_tree_and_is_no_message(ask: Ask) -> None:
    said = {"source": "products", "message": "lamps", "language": "en"}
    turn = ask("POST", "/v1/interpret", said).json
    path = f"/v1/sessions/{turn['session']}"
    before = ask("GET", path).json
    change = {"version": before["version"], "tree": tree(LAMP, CHEAP)}

    edited = ask("PUT", path, change).json
    late = ask("PUT", path, change)

    fields = [rule["field"] for rule in edited["tree"]["rules"]]
    assert fields == ["category", "price"]
    assert edited["version"] == before["version"] + 1
    assert edited["messages"] == before["messages"]
    assert (late.status, late.json["version"]) == (409, edited["version"])
    assert ask("GET", path).json["tree"] == edited["tree"]


def test_a_tree_that_can_not_run_is_not_put_in_place(ask: Ask) -> None:
    held = begin(ask, LAMP)
    path = f"/v1/sessions/{held['session']}"
    wrong = {"field": "purchase_cost", "operator": "less_than", "value": 1}

    refused = ask("PUT", path, {"version": 0, "tree": tree(wrong)})

    assert refused.status == 422
    assert refused.json["errors"][0]["pointer"] == "/tree/rules/0/field"
    assert ask("GET", path).json["tree"] == held["tree"]


def test_a_forgotten_session_is_gone(ask: Ask) -> None:
    held = begin(ask)
    path = f"/v1/sessions/{held['session']}"

    done = ask("DELETE", path)

    assert (done.status, done.json) == (200, {"deleted": held["session"]})
    assert [ask(m, path).status for m in ("GET", "DELETE")] == [404, 404]


@pytest.mark.parametrize(
    "other", [{"user": "mallory"}, {"client": "other"}, {"tenant": "boreal"}]
)
def test_somebody_elses_session_is_none(
    ask: Ask, token: Callable[..., str], other: dict[str, str]
) -> None:
    held, stranger = begin(ask, LAMP), token(**other)
    path, change = f"/v1/sessions/{held['session']}", {"version": 0, "tree": tree()}

    answers = [
        ask("GET", path, None, stranger),
        ask("PUT", path, change, stranger),
        ask("DELETE", path, None, stranger),
    ]
    unknown = ask("GET", "/v1/sessions/unknown", None, stranger)

    assert [a.status for a in answers] == [404] * 3
    assert {a.body for a in answers} == {unknown.body}
    assert ask("GET", path).status == 200


def test_a_search_is_saved_listed_read_and_deleted(ask: Ask) -> None:
    first = save(ask)
    held = begin(ask, CHEAP)
    second = save(ask, "cheap", session=held["session"])

    listed = ask("GET", "/v1/searches").json["searches"]
    read = ask("GET", f"/v1/searches/{second['search']}").json
    ask("DELETE", f"/v1/searches/{first['search']}")

    assert {entry["name"] for entry in listed} == {"lamps", "cheap"}
    assert read["tree"] == held["tree"]
    assert "errors" in read
    assert read["errors"] == []
    left = ask("GET", "/v1/searches").json["searches"]
    assert [entry["search"] for entry in left] == [second["search"]]
    assert ask("GET", f"/v1/searches/{first['search']}").status == 404


@pytest.mark.parametrize(
    "what",
    [
        {},
        {"tree": tree(LAMP), "session": "s"},
        {"tree": tree(LAMP), "name": "  "},
        {"tree": tree({"field": "supplier_quota", "operator": "equals", "value": 1})},
    ],
)
def test_what_can_not_be_saved_is_refused(ask: Ask, what: dict[str, Any]) -> None:
    body = {"source": "products", "name": "x"} | what

    assert ask("POST", "/v1/searches", body).status == 422
    assert ask("GET", "/v1/searches").json["searches"] == []


def share(ask: Ask, number: str, days: int = 2) -> str:
    answer = ask("POST", f"/v1/searches/{number}/share", {"days": days})
    assert answer.status == 200, answer.body
    return str(answer.json["share"])


def test_a_colleague_opens_a_link_and_owns_nothing_by_it(
    ask: Ask, token: Callable[..., str]
) -> None:
    saved = save(ask)
    link, colleague = share(ask, saved["search"]), token(user="colleague")

    opened = ask("POST", "/v1/searches/open", {"share": link}, colleague)
    direct = ask("GET", f"/v1/searches/{saved['search']}", None, colleague)

    assert (opened.status, opened.json["tree"]) == (200, saved["tree"])
    assert "search" not in opened.json
    assert saved["search"] not in link
    assert direct.status == 404


def test_a_link_ends_with_its_search(ask: Ask, token: Callable[..., str]) -> None:
    saved = save(ask)
    link = share(ask, saved["search"])

    ask("DELETE", f"/v1/searches/{saved['search']}")

    opened = ask("POST", "/v1/searches/open", {"share": link}, token(user="colleague"))
    assert opened.status == 404


@pytest.mark.parametrize(
    ("opener", "status"),
    [
        ({"tenant": "boreal"}, 422),
        ({"scope": "media:read"}, 403),
        ({"user": "anybody"}, 200),
    ],
)
def test_a_link_is_its_organisations_and_its_scopes(
    ask: Ask, token: Callable[..., str], opener: dict[str, str], status: int
) -> None:
    link = share(ask, save(ask)["search"])

    opened = ask("POST", "/v1/searches/open", {"share": link}, token(**opener))
    forged = ask("POST", "/v1/searches/open", {"share": link[:-2] + "AA"})

    assert status == opened.status
    assert forged.status == 422


def test_a_link_tells_no_field_of_another_profile(
    seeded: Stack, ask: Ask, token: Callable[..., str]
) -> None:
    rated = {"field": "certification", "operator": "equals", "value": "oeko_tex"}
    body = {"source": "products", "name": "certified", "tree": tree(rated)}
    trader = token(user="trader", profile="professional")
    made = seeded.call("POST", "/v1/searches", body, trader)
    assert made.status == 200, made.body
    path = f"/v1/searches/{made.json['search']}/share"
    link = seeded.call("POST", path, {"days": 1}, trader).json["share"]

    opened = ask("POST", "/v1/searches/open", {"share": link})

    assert opened.status == 422
    assert "certification" not in opened.body.decode()
