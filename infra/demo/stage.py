"""Where the story is played: who speaks, what they ask, and how it is shown.

A scene is a claim; a scene whose claim does not hold ends the demo with an error.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from mcp.types import CallToolResult

from infra.demo.agent import Agent
from infra.local.provider import Provider, says
from infra.local.seed import VISITOR
from infra.local.stack import Response, Stack

SHOWN = 3
"""Hits of a page that the screen has room for."""


class StoryBroken(AssertionError):  # noqa: N818 - what the screen says
    """The product did not do what the scene says."""


@dataclass(frozen=True, slots=True)
class Beat:
    """One request of a scene: what was sent, what it meant, what came of it."""

    request: str
    sentence: str = ""
    result: tuple[str, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Person:
    """A caller with a token."""

    name: str
    token: str


class Stage:
    """Speaks to the stack's gateway as people and agents do."""

    def __init__(self, stack: Stack, model: Provider) -> None:
        self.stack = stack
        self.model = model
        self.visitor = self.person("visitor")

    def person(self, name: str, **claims: Any) -> Person:
        """Let somebody in, with the visitor's claims but for those given."""
        return Person(name, self.stack.token(**{**VISITOR, "user": name, **claims}))

    def agent(self, person: Person) -> Agent:
        """Give somebody's MCP client."""
        return Agent(f"{self.stack.url}/mcp", person.token)

    def use_model(self, reply: Mapping[str, Any]) -> None:
        """Give the stack a model, which is scripted to answer this."""
        explanation = {"explanation": "A sunset for the cover."}
        self.model.script(says({**reply, **explanation}))
        self.stack.use_model({"base_url": self.model.url, "key": "k", "model": "m"})

    def call(
        self, person: Person, route: str, body: Mapping[str, Any], *, status: int = 200
    ) -> dict[str, Any]:
        """Post a body; the answer must have the status."""
        answer = self.stack.call("POST", route, body, person.token)
        demand(answer.status == status, f"{route} answered {_told(answer)}")
        read: dict[str, Any] = answer.json
        return read

    def say(
        self, person: Person, source: str, message: str, **more: Any
    ) -> tuple[dict[str, Any], Beat]:
        """Interpret a message."""
        body = {"source": source, "message": message, **more}
        read = self.call(person, "/v1/interpret", body)
        clarify = read.get("clarify")
        outcome = clarify["question"] if clarify else read["summary"]
        beat = Beat(f"interpret  «{message}»", read["sentence"], (outcome,), read)
        return read, beat

    def find(
        self, person: Person, source: str, **search: Any
    ) -> tuple[dict[str, Any], Beat]:
        """Execute a session or a tree."""
        read = self.call(person, "/v1/execute", {"source": source, **search})
        what = "session" if "session" in search else "tree"
        beat = Beat(
            f"execute    the {what} on {source}",
            read["report"]["sentence"],
            tuple(_page(read)),
            read,
        )
        return read, beat


def demand(holds: object, claim: str) -> None:
    """Break the story where a claim does not hold."""
    if not holds:
        raise StoryBroken(claim)


def structured(result: CallToolResult) -> dict[str, Any]:
    """Give a tool's data; the tool must have answered."""
    demand(not result.is_error, f"the tool answers: {said(result)}")
    return dict(result.structured_content or {})


def said(result: CallToolResult) -> str:
    """Give a tool's lines."""
    return "".join(part.text for part in result.content if part.type == "text")


def told(total: Mapping[str, Any]) -> str:
    """Read a total aloud."""
    words = {
        "exact": "{}",
        "at_least": "at least {}",
        "about": "about {}",
        "fewer_than": "fewer than {}",
    }
    return words[total["kind"]].format(total["number"])


def _page(read: Mapping[str, Any]) -> Iterator[str]:
    yield f"{told(read['total'])} found, {len(read['hits'])} shown"
    for hit in read["hits"][:SHOWN]:
        facts = (hit.get("price", {}).get("display"), hit.get("url"), hit["ref"])
        yield "  " + "  ".join((f"{hit['title'][:54]:<54}", *filter(None, facts[:1])))
    budget = read.get("budget")
    if budget:
        left = (budget["session_left"], budget["day_left"])
        yield "left: {} in this session, {} today".format(*left)


def _told(answer: Response) -> str:
    return f"{answer.status}: {answer.body[:400]!r}"


class Screen:
    """Shows scenes: lines at a glance, or JSON lines."""

    def __init__(self, *, as_json: bool) -> None:
        self._json = as_json
        self._number = 0
        tty = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        self._bold, self._dim, self._plain = (
            ("\x1b[1m", "\x1b[2m", "\x1b[0m") if tty else ("", "", "")
        )

    def show(self, title: str, beats: Iterable[Beat]) -> None:
        """Show one scene; its beats are played as they are shown."""
        self._number += 1
        if self._json:
            record = {"scene": self._number, "title": title}
            told = [asdict(beat) for beat in beats]
            print(json.dumps(record | {"beats": told}, ensure_ascii=False), flush=True)
            return
        print(f"\n{self._bold}{self._number:>2}  {title}{self._plain}", flush=True)
        for beat in beats:
            self._beat(beat)

    def note(self, text: str) -> None:
        """Say what happens around the story."""
        if not self._json:
            print(f"{self._dim}{text}{self._plain}", flush=True)

    def _beat(self, beat: Beat) -> None:
        print(f"    {self._dim}→ {beat.request}{self._plain}")
        if beat.sentence:
            print(f"    = {beat.sentence}")
        for line in filter(None, beat.result):
            print(f"      {line}")
