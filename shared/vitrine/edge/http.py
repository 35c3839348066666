"""What every HTTP handler shares: errors as problem documents, language, token.

A handler's resolver includes ``router``; its exception handlers map the one error
tree of ``problems`` to RFC 9457 bodies, and let nothing else out.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, Literal, Protocol, TypeVar

from aws_lambda_powertools.event_handler import (
    APIGatewayHttpResolver,
    Request,
    Response,
    content_types,
)
from aws_lambda_powertools.event_handler.depends import Depends
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.openapi.exceptions import (
    RequestValidationError,
)
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter
from pydantic import BaseModel, ConfigDict, StringConstraints

from vitrine.caller import Caller, Surface
from vitrine.edge import telemetry
from vitrine.edge.arguments import LONGEST, TAG
from vitrine.edge.bodies import check_body
from vitrine.edge.replies import Whole
from vitrine.edge.telemetry import Handler, logger, observed
from vitrine.edge.wiring import wiring
from vitrine.problems import (
    BudgetSpent,
    Busy,
    Conflict,
    FacetsSpent,
    Fault,
    Forbidden,
    Invalid,
    Missing,
    Problem,
    Refused,
    TooFast,
    Unauthenticated,
    Unavailable,
)

PROBLEM_JSON = "application/problem+json"
router = APIGatewayHttpRouter()  # type: ignore[no-untyped-call] # Powertools
_Handler = TypeVar("_Handler", bound=Callable[..., Response[str]])

Source = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,31}$")]
Tag = Annotated[str, StringConstraints(pattern=f"^{TAG.pattern}$", max_length=35)]
"""A BCP 47 language tag."""
Token = Annotated[str, StringConstraints(min_length=1, max_length=16_384)]
"""A session's id or a sealed cursor, opaque to its bearer."""
Claimed = Literal["api", "gallery", "chat_preview"]
"""The surfaces that a body may name; ``caller.CLAIMABLE`` holds the same."""


class Body(BaseModel):
    """A request body: unknown keys are refused, not skipped."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ProblemDocument(BaseModel):
    """An RFC 9457 problem; further members depend on its type."""

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    detail: str


def responses(
    reply: type[BaseModel], *kinds: type[Problem]
) -> dict[int, dict[str, Any]]:
    """Describe for OpenAPI a route's reply and the problems it may answer with."""
    always: tuple[type[Problem], ...] = (
        Problem,
        Invalid,
        Unauthenticated,
        Forbidden,
        Missing,
        Unavailable,
    )
    found: dict[int, list[type[Problem]]] = {}
    for kind in (*always, *kinds):
        found.setdefault(kind.status, []).append(kind)
    body = {"application/json": {"model": reply}}
    # Python takes the indent off by itself from 3.13 on; the contract has one wording.
    said = inspect.cleandoc(reply.__doc__ or "")
    told = {_OK: {"description": said, "content": body}}
    return told | {status: _described(same) for status, same in sorted(found.items())}


_OK = 200
LIMITS = (Refused, BudgetSpent, FacetsSpent, Busy, TooFast)
MOVED = (Conflict,)


def _described(kinds: Iterable[type[Problem]]) -> dict[str, Any]:
    said = "; ".join(f"`{kind.code}`: {kind.title}" for kind in kinds)
    return {"description": said, "content": {PROBLEM_JSON: {"model": ProblemDocument}}}


def _on(kind: type[Exception]) -> Callable[[_Handler], _Handler]:
    return router.exception_handler(kind)  # type: ignore[no-any-return] # untyped


@_on(Problem)
def problem(error: Problem) -> Response[str]:
    """Answer with the problem's own document; log what is our fault."""
    if error.status >= Problem.status:
        telemetry.failed(error.detail, error, problem=error.code)
    return _answered(error)


@_on(RequestValidationError)
def unreadable(error: RequestValidationError) -> Response[str]:
    """Tell every fault of a body with its JSON pointer."""
    return _answered(Invalid(tuple(_fault(e) for e in error.errors())))


@_on(NotFoundError)
def unrouted(_: Exception) -> Response[str]:
    """Answer for a path or method that the template does not route here."""
    return _answered(Missing("There is no such route."))


@_on(Exception)
def unforeseen(error: Exception) -> Response[str]:
    """Log what nobody foresaw and tell nothing of it."""
    telemetry.unforeseen(error)
    return _answered(Problem(correlation_id=logger.get_correlation_id()))


def compact(body: Any) -> str:
    """Write a reply as JSON in UTF-8, without escapes and blanks."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), default=str)


def sent(reply: Whole) -> Response[str]:
    """Answer with a large reply, checked when it was made and written at once.

    The resolver would check it again, turn it into dicts and those into text: a
    millisecond for a page and its facets.
    """
    return Response(_OK, content_types.APPLICATION_JSON, reply.model_dump_json())


def _answered(error: Problem) -> Response[str]:
    headers: dict[str, str | list[str]] = {**error.headers()}
    if isinstance(error, Unauthenticated):
        headers["WWW-Authenticate"] = "Bearer"
    return Response(
        status_code=error.status,
        content_type=PROBLEM_JSON,
        body=compact(error.body()),
        headers=headers,
    )


def _fault(error: Mapping[str, Any]) -> Fault:
    place = [str(p) for p in error["loc"] if p != "body"]
    pointer = "".join("/" + p.replace("~", "~0").replace("/", "~1") for p in place)
    if error["type"] == "json_invalid":
        return Fault("", "json", "The body is not valid JSON.", "Send a JSON object.")
    if error["type"] == "extra_forbidden":
        return Fault(pointer, "unknown", "Not a member here.", "Omit it.")
    return Fault(pointer, error["type"], error["msg"])


def preferred(accepted: str | None) -> str | None:
    """Give the tag that an ``Accept-Language`` header prefers, if it names one."""
    best, weight = None, 0.0
    for part in (accepted or "")[:LONGEST].split(","):
        tag, _, quality = part.partition(";")
        worth = _quality(quality.strip().removeprefix("q="))
        if TAG.fullmatch(tag.strip()) and worth > weight:
            best, weight = tag.strip(), worth
    return best


def _quality(text: str) -> float:
    try:
        return float(text) if text else 1.0
    except ValueError:
        return 0.0


def served(app: APIGatewayHttpResolver) -> Handler:
    """Give an application's handler: who asks is judged before what they sent.

    The resolver would judge the body first, and tell a stranger what it misses.
    """

    def handler(event: dict[str, Any], context: Any) -> Any:
        try:
            caller = verified(event.get("headers") or {})
            check_body(event)
        except Problem as refusal:
            return _bare(problem(refusal))
        except Exception as error:  # noqa: BLE001 - the last resort
            return _bare(unforeseen(error))
        app.append_context(caller=caller)  # type: ignore[no-untyped-call] # Powertools
        return app.resolve(event, context)

    return observed(handler)


def _bare(answer: Response[str]) -> dict[str, Any]:
    """Write an answer that no resolver made, in the gateway's format 2.0."""
    return {
        "statusCode": answer.status_code,
        "headers": {"Content-Type": answer.content_type, **answer.headers},
        "body": answer.body,
        "isBase64Encoded": False,
    }


def verified(headers: Mapping[str, str]) -> Caller:
    """Verify a request's token; the answer's language is what its header prefers."""
    language = preferred(headers.get("accept-language"))
    return wiring.caller(headers.get("authorization"), language, Surface.API)


def asker(request: Request) -> Caller:
    """Give the caller whom ``served`` has verified."""
    caller: Caller = request.context["caller"]
    return caller


Asker = Annotated[Caller, Depends(asker)]
"""The verified caller, as a route's parameter; tests may override ``asker``."""


class Spoken(Protocol):
    """A body that says where it comes from and how to answer."""

    @property
    def surface(self) -> Claimed:
        """Name the surface."""
        ...

    @property
    def language(self) -> str | None:
        """Name the language of the answer."""
        ...


def speaking(caller: Caller, body: Spoken) -> Caller:
    """Give the caller on the body's surface, answered in its language."""
    return caller.speaking(body.language, Surface(body.surface))
