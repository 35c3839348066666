"""The page on which an organisation lets a client write, or does not.

An administrator opens a link that the stack's owner had made for them; the page says
which client asks, for which organisation and person, and for what. The decision is an
order to the function ``admin``, which audits it. A link decides once.
"""

from __future__ import annotations

import hmac
import json
import secrets
import time
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from infra.local.events import Incoming, Reply

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from infra.local.host import Receive, Scope, Send
    from infra.local.issuer import Issuer

PAGE = Template(Path(__file__).with_suffix(".html").read_text(encoding="utf-8"))
PATH = "/consent"
GRANTS = "/v1/admin/grants"
ORDERS = {"give": GRANTS, "refuse": f"{GRANTS}/end"}
SAID = {
    "give": "{client} may use {scopes} for {tenant} from now on.",
    "refuse": "{client} may only read for {tenant}.",
}
WRITING = {"notes:write": "write notes, each marked ◆ as an AI's, and undo them"}
"""Scopes that nobody has before the organisation says so, and what they allow."""
COOKIE = "consent"
SECONDS = 600
LARGEST = 4096
OK = 200
HEADERS = {
    # Nothing is loaded, framed, kept or told to another page; styles are the page's.
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@dataclass(frozen=True, slots=True)
class Wish:
    """Who asks for what, and the administrator who is asked."""

    tenant: str
    client: str
    scopes: tuple[str, ...]
    user: str = ""
    admin: str = "administrator"
    until: float = 0.0
    # Stands in the form and in a cookie: another site can send neither.
    guard: str = field(default_factory=lambda: secrets.token_urlsafe(24))

    @property
    def writing(self) -> tuple[str, ...]:
        """Give the scopes that need the organisation's word."""
        return tuple(scope for scope in self.scopes if scope in WRITING)


class Consent:
    """Shows what is asked, and carries the decision to the function ``admin``."""

    def __init__(
        self, issuer: Issuer, order: Callable[[Incoming], Awaitable[Reply]]
    ) -> None:
        """Sign orders by the issuer; the stack sets `url` once it knows it."""
        self.url = ""
        self._issuer = issuer
        self._order = order
        self._wishes: dict[str, Wish] = {}

    def link(
        self,
        *,
        tenant: str,
        client: str,
        scope: str,
        user: str = "",
        admin: str = "administrator",
    ) -> str:
        """Make an administrator's link for one decision within ten minutes."""
        ticket, until = secrets.token_urlsafe(24), time.monotonic() + SECONDS
        wish = Wish(tenant, client, tuple(scope.split()), user, admin, until)
        self._wishes[ticket] = wish
        return f"{self.url}{PATH}?{urlencode({'ticket': ticket})}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope, receive)
        answer = await self._answered(request)
        answer.headers.update(HEADERS)
        await answer(scope, receive, send)

    async def _answered(self, request: Request) -> Response:
        if request.url.path != PATH or request.method not in {"GET", "POST"}:
            return _page(404, "Not found", ())
        if request.method == "GET":
            ticket = request.query_params.get("ticket", "")
            wish = self._open(ticket)
            return _stale() if wish is None else _asking(ticket, wish)
        sent = await _form(request)
        wish = self._open(sent.get("ticket", ""))
        if wish is None:
            return _stale()
        if not self._ours(request, sent, wish):
            return _page(403, "This form was not sent from its page", ())
        return await self._decided(sent, wish)

    def _open(self, ticket: str) -> Wish | None:
        wish = self._wishes.get(ticket)
        return wish if wish and time.monotonic() < wish.until else None

    def _ours(self, request: Request, sent: dict[str, str], wish: Wish) -> bool:
        """Tell whether the form is the page's own.

        A cookie knows no port, so that a page of another local server would be the
        same site to it: the origin is compared, too.
        """
        given = (request.cookies.get(COOKIE, ""), sent.get("guard", ""))
        alike = all(
            hmac.compare_digest(one.encode(), wish.guard.encode()) for one in given
        )
        return alike and request.headers.get("origin", self.url) == self.url

    async def _decided(self, sent: dict[str, str], wish: Wish) -> Response:
        decision = sent.get("decision", "")
        if decision not in ORDERS:
            return _page(400, "Give or refuse", ())
        # Once, before the first await: a second click finds no link any more.
        del self._wishes[sent["ticket"]]
        for scope in wish.writing:
            reply = await self._order(self._ordered(decision, scope, wish, sent))
            if reply.status != OK:
                return _page(502, "It could not be recorded", ("Ask for a new link.",))
        told = SAID[decision].format(
            client=wish.client, tenant=wish.tenant, scopes=" ".join(wish.writing)
        )
        return _page(OK, "Recorded", (told, "The decision stands in the audit log."))

    def _ordered(
        self, decision: str, scope: str, wish: Wish, sent: dict[str, str]
    ) -> Incoming:
        token = self._issuer.token(
            tenant=wish.tenant, user=wish.admin, client="consent", scope="admin"
        )
        # The function wants three characters; an administrator may write none.
        reason = f"Consent page: {sent.get('reason', '').strip() or decision}"
        body = {"client": wish.client, "scope": scope, "reason": reason[:500]}
        headers = [
            ("authorization", f"Bearer {token}"),
            ("content-type", "application/json"),
        ]
        raw = json.dumps(body).encode()
        return Incoming("POST", ORDERS[decision], "", headers, raw)


async def _form(request: Request) -> dict[str, str]:
    """Read the form; what is too large for it is none."""
    if int(request.headers.get("content-length") or LARGEST + 1) > LARGEST:
        return {}
    body = await request.body()
    return dict(parse_qsl(body.decode(errors="replace"), keep_blank_values=True))


def _asking(ticket: str, wish: Wish) -> Response:
    answer = _page(OK, f"May {wish.client} write?", (), "".join(_shown(ticket, wish)))
    answer.set_cookie(
        COOKIE,
        wish.guard,
        max_age=SECONDS,
        path=PATH,
        httponly=True,
        samesite="strict",
    )
    return answer


def _shown(ticket: str, wish: Wish) -> Iterator[str]:
    facts = {
        "Client that asks": wish.client,
        "Organisation": wish.tenant,
        "On behalf of": wish.user or "nobody named",
        "It may read by its token": _joined(wish, writing=False) or "nothing",
        "It asks to write": _joined(wish, writing=True) or "nothing",
    }
    yield "<dl>"
    for name, value in facts.items():
        yield f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>"
    yield "</dl>"
    yield from (
        f"<p>{escape(s)} means: {escape(WRITING[s])}.</p>" for s in wish.writing
    )
    if wish.writing:
        yield from _choice(ticket, wish)
    else:
        yield "<p>Reading needs no grant: there is nothing to decide.</p>"


def _joined(wish: Wish, *, writing: bool) -> str:
    return ", ".join(s for s in wish.scopes if (s in wish.writing) is writing)


def _choice(ticket: str, wish: Wish) -> Iterator[str]:
    hidden = {"ticket": ticket, "guard": wish.guard}
    yield f'<form method="post" action="{PATH}">'
    for name, value in hidden.items():
        yield f'<input type="hidden" name="{name}" value="{escape(value)}">'
    yield '<label for="reason">Reason, for the audit log</label>'
    yield '<input id="reason" name="reason" maxlength="400" autocomplete="off">'
    yield '<button name="decision" value="refuse">Refuse</button>'
    yield '<button name="decision" value="give">Give the grant</button>'
    yield "</form>"


def _stale() -> Response:
    said = "It has served already, or its ten minutes are over. Ask for a new one."
    return _page(404, "This link is not valid", (said,))


def _page(status: int, title: str, lines: tuple[str, ...], body: str = "") -> Response:
    said = "".join(f'<p role="status">{escape(line)}</p>' for line in lines)
    html = PAGE.substitute(title=escape(title), body=said + body)
    return HTMLResponse(html, status)
