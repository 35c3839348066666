"""The consent page: what is asked, by whom, decided once and by its own form alone."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest

from infra.local.stack import Stack

HOSTILE = '"><script>alert(1)</script>&lt;b&gt; {client} $body'


@pytest.fixture(scope="module")
def office() -> Iterator[Stack]:
    """The product's functions without an engine: grants lie in the table."""
    with Stack(parts=("gateway",)) as running:
        yield running


@dataclass(frozen=True, slots=True)
class Seen:
    """A page as a browser has it."""

    status: int
    headers: http.client.HTTPMessage
    body: str
    page: Reader

    @property
    def cookie(self) -> str:
        return str(self.headers["set-cookie"]).partition(";")[0]


class Reader(HTMLParser):
    """Read a page's text, elements and the fields of its form."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self.fields: dict[str, str] = {}
        self.elements: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.elements.append((tag, given))
        if tag == "input":
            self.fields[str(given["name"])] = given.get("value") or ""

    def handle_data(self, data: str) -> None:
        self.text += data


def visit(url: str, form: dict[str, str] | None = None, **headers: str) -> Seen:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc)
    body = None if form is None else urlencode(form)
    kind = {"content-type": "application/x-www-form-urlencoded"}
    method = "GET" if form is None else "POST"
    connection.request(method, f"{parts.path}?{parts.query}", body, kind | headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    reader = Reader()
    reader.feed(text)
    return Seen(answer.status, answer.headers, text, reader)


def link(office: Stack, client: str, **more: Any) -> str:
    scope = "events:read notes:write"
    usual = {"tenant": "aurore", "user": "camille", "admin": "boss", "scope": scope}
    return office.consent.link(client=client, **usual | more)


def decide(url: str, page: Seen, decision: str, **headers: str) -> Seen:
    form = page.page.fields | {"decision": decision, "reason": "they asked nicely"}
    return visit(url, form, **{"cookie": page.cookie} | headers)


def grants(office: Stack, tenant: str = "aurore") -> list[dict[str, Any]]:
    token = office.token(tenant=tenant, user="reader", scope="admin")
    found = office.call("GET", "/v1/admin/grants", None, token)
    return list(found.json["grants"])


def granted(office: Stack, client: str) -> list[dict[str, Any]]:
    return [grant for grant in grants(office) if grant["client"] == client]


def test_the_page_says_who_asks_whom_for_what(office: Stack) -> None:
    seen = visit(link(office, "bot-shown"))
    told = ("bot-shown", "aurore", "camille", "events:read", "notes:write", "◆")

    assert seen.status == 200
    assert [word for word in told if word not in seen.page.text] == []
    assert not granted(office, "bot-shown")


def test_a_grant_is_given_and_in_the_administrators_name(office: Stack) -> None:
    url = link(office, "bot-given")

    done = decide(url, visit(url), "give")

    (grant,) = granted(office, "bot-given")
    assert done.status == 200
    assert ("notes:write", "boss") == (grant["scope"], grant["by"])
    assert "they asked nicely" in grant["reason"]
    assert not [g for g in grants(office, "boreal") if g["client"] == "bot-given"]


def test_a_refusal_ends_what_was_given(office: Stack) -> None:
    for decision in ("give", "refuse"):
        url = link(office, "bot-refused")
        assert decide(url, visit(url), decision).status == 200

    assert not granted(office, "bot-refused")


def test_each_decision_leaves_its_audit_row(office: Stack) -> None:
    for decision in ("give", "refuse"):
        url = link(office, "bot-audited", tenant="audited")
        decide(url, visit(url), decision)

    with closing(office.aws.client("dynamodb")) as client:
        rows = client.scan(TableName=office.table)["Items"]
    ours = [row for row in rows if row["pk"]["S"] == "AUDIT#audited"]
    assert sorted(r["action"]["S"] for r in ours) == ["grant_ended", "grant_given"]
    assert {row["actor"]["S"] for row in ours} == {"boss"}


def test_a_link_decides_once(office: Stack) -> None:
    url = link(office, "bot-once")
    page = visit(url)

    first, second = (decide(url, page, decision) for decision in ("give", "refuse"))

    assert (200, 404) == (first.status, second.status)
    assert granted(office, "bot-once")
    assert visit(url).status == 404


@pytest.mark.parametrize(
    "forged",
    [
        {"cookie": ""},
        {"cookie": "consent=guessed"},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
    ],
)
def test_a_form_of_another_page_decides_nothing(
    office: Stack, forged: dict[str, str]
) -> None:
    url = link(office, "bot-forged")
    page = visit(url)

    refused = decide(url, page, "give", **forged)
    guessed = visit(
        url, page.page.fields | {"decision": "give", "guard": "x"}, cookie=page.cookie
    )

    assert (403, 403) == (refused.status, guessed.status)
    assert not granted(office, "bot-forged")


def test_what_a_client_calls_itself_is_text(office: Stack) -> None:
    url = link(office, HOSTILE, user=HOSTILE, scope=f"{HOSTILE} notes:write")

    page = visit(url)
    done = decide(url, page, "give")

    for seen in (page, done):
        assert HOSTILE in seen.page.text
        assert not [tag for tag, _ in seen.page.elements if tag == "script"]
        assert "<script" not in seen.body
    assert page.page.fields.keys() == {"ticket", "guard", "reason"}


def test_a_page_can_be_neither_framed_nor_kept(office: Stack) -> None:
    seen = visit(link(office, "bot-framed"))
    policy = seen.headers["content-security-policy"]

    assert "frame-ancestors 'none'" in policy
    assert "default-src 'none'" in policy
    assert seen.headers["cache-control"] == "no-store"
    assert {"httponly", "samesite=strict"} <= {
        part.strip().lower() for part in seen.headers["set-cookie"].split(";")
    }


def test_the_page_is_read_aloud_well(office: Stack) -> None:
    """Each input has its label, the page its language, title and one main heading."""
    elements = visit(link(office, "bot-heard")).page.elements
    tags = [tag for tag, _ in elements]
    labelled = {given.get("for") for tag, given in elements if tag == "label"}
    shown = {
        given.get("id")
        for tag, given in elements
        if tag == "input" and given.get("type") != "hidden"
    }

    assert shown == labelled
    assert ("html", {"lang": "en"}) in elements
    assert [tags.count(tag) for tag in ("title", "h1", "main", "form")] == [1] * 4


def test_reading_alone_is_no_question(office: Stack) -> None:
    page = visit(link(office, "bot-reader", scope="events:read"))

    assert "nothing to decide" in page.page.text
    assert "form" not in [tag for tag, _ in page.page.elements]


@pytest.mark.parametrize("path", ["/", "/consent", "/consent?ticket=guessed"])
def test_without_a_link_there_is_no_page(office: Stack, path: str) -> None:
    assert visit(f"{office.consent.url}{path}").status == 404
