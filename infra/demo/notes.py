"""The scene of a note: refused, allowed by the organisation, written, found, undone."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from http.cookiejar import CookieJar
from typing import Any
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, build_opener

from infra.demo.stage import Beat, Stage, demand, said, structured

CLIENT = "assistant"
ACTOR = "atelier-agent"
SCOPES = "events:read persons:read notes:write"
NOTE = "Marie would like samples of the heron linen by Friday."
WORDS = "heron linen"
SECONDS = 10


READ = frozenset({"h1", "p", "dt", "dd"})
"""Elements whose text is for people."""


class _Form(HTMLParser):
    """The text of a page and what its form holds."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self._inside = ""
        self.fields: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self._inside = tag
        if tag == "input" and given.get("name"):
            self.fields[str(given["name"])] = given.get("value") or ""

    def handle_data(self, data: str) -> None:
        if self._inside in READ and data.strip():
            self.text += f"{data.strip()} "


def note(stage: Stage) -> Iterator[Beat]:
    """Let an assistant write a note, once its organisation agrees."""
    member = stage.person("camille", client=CLIENT, actor=ACTOR, scope=SCOPES)
    agent = stage.agent(member)
    found = structured(agent.call("search_persons", query="Marie", limit=1))
    people = [hit["ref"] for hit in found["hits"]]
    asked = {"text": NOTE, "people": people, "request_id": "demo-note"}

    refused = agent.call("log_note", **asked)
    why = said(refused)
    demand(refused.is_error and "administrator" in why, f"no grant, no note: {why}")
    yield Beat("MCP log_note, with the scope alone", "", (why,))

    yield _granted(stage)

    made = structured(agent.call("log_note", **asked))
    demand("◆" in made["mark"], f"the note is marked: {made}")
    yield Beat("MCP log_note, with the grant", "", (made["mark"],), made)

    seen = structured(agent.call("search_events", query=WORDS))
    hits = {hit["ref"]: hit for hit in seen["hits"]}
    demand(made["note_ref"] in hits, "the next search finds it")
    ours = hits[made["note_ref"]]
    demand(ours["mark"] == made["mark"], f"with its mark: {ours}")
    lines = (f"{ours['title'][:60]}  {ours['mark']}",)
    yield Beat(f"MCP search_events  «{WORDS}»", seen.get("sentence", ""), lines, ours)

    undone = structured(agent.call("undo_note", note_ref=made["note_ref"]))
    after = structured(agent.call("search_events", query=WORDS))
    left = [hit["ref"] for hit in after["hits"]]
    demand(made["note_ref"] not in left, "it is gone for the next search")
    yield Beat("MCP undo_note", "", (undone["note"], "the next search has it no more"))


def _granted(stage: Stage) -> Beat:
    """Decide on the consent page, as the organisation's administrator would."""
    link = stage.stack.consent.link(
        tenant="aurore", client=CLIENT, scope=SCOPES, user="camille", admin="direction"
    )
    browser = build_opener(HTTPCookieProcessor(CookieJar()))
    page = _read(browser, link)
    demand(CLIENT in page.text and "notes:write" in page.text, "the page says who asks")
    decision = {"decision": "give", "reason": "Camille's assistant keeps her notes."}
    done = _read(browser, link, urlencode(page.fields | decision).encode())
    demand("Recorded" in done.text, f"the grant is recorded: {done.text}")
    return Beat("consent page, answered by the administrator", "", (done.text.strip(),))


def _read(browser: Any, url: str, form: bytes | None = None) -> _Form:
    with browser.open(url, form, SECONDS) as answer:
        page = _Form()
        page.feed(answer.read().decode())
    return page
