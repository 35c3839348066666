"""Every way in which a request can fail, as one tree with its HTTP status.

Problem                   500  internal
├── Invalid               422  invalid: faults, each with pointer, code and remedy
├── Unauthenticated       401  unauthenticated
├── Forbidden             403  forbidden: the scope or source that is missing
├── Missing               404  missing: absent, hidden and foreign alike
├── Conflict              409  conflict: the session's current version
├── Refused               429  a limit of the caller's own
│   ├── BudgetSpent       429  budget-spent: which, until when, the way on
│   ├── FacetsSpent       429  facets-spent
│   ├── Busy              429  busy: no limit of the caller's own; later, no more
│   └── TooFast           429  too-fast
└── Unavailable           503  unavailable: a part that the answer depends on

They are raised deep and mapped once, in ``edge.http`` and ``edge.agents``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

TYPE_PREFIX = "urn:vitrine:problem:"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with an input, where it stands, and what would be right.

    ``pointer`` is a JSON pointer (RFC 6901) into the input; ``code`` is stable.
    """

    pointer: str
    code: str
    message: str
    remedy: str = ""


class Problem(Exception):  # noqa: N818 - the domain's word
    """Answer with ``application/problem+json`` (RFC 9457) of this status."""

    status: ClassVar[int] = 500
    code: ClassVar[str] = "internal"
    title: ClassVar[str] = "Something went wrong on our side"

    def __init__(self, detail: str = "", **members: Any) -> None:
        super().__init__(detail or self.title)
        self.detail = detail or self.title
        self.members: Mapping[str, Any] = members

    def body(self) -> dict[str, Any]:
        """Give the problem document, without empty members."""
        fixed = {
            "type": TYPE_PREFIX + self.code,
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
        }
        return fixed | {k: v for k, v in self.members.items() if v is not None}

    def headers(self) -> dict[str, str]:
        """Give the response headers that belong to this problem."""
        after = self.members.get("retry_after")
        return {} if after is None else {"Retry-After": str(after)}


class Invalid(Problem):
    """Refuse an input, with every fault found in one pass."""

    status = 422
    code = "invalid"
    title = "The request can't be run as it stands"

    def __init__(self, faults: Iterable[Fault], detail: str = "") -> None:
        self.faults = tuple(faults)
        first = self.faults[0].message if self.faults else ""
        super().__init__(detail or first, errors=[asdict(f) for f in self.faults])


class Unauthenticated(Problem):
    """Ask for a token, or for a better one."""

    status = 401
    code = "unauthenticated"
    title = "A valid access token is needed"


class Forbidden(Problem):
    """Refuse what the token's scopes do not cover."""

    status = 403
    code = "forbidden"
    title = "The token does not cover this"


class Missing(Problem):
    """Answer alike for what is absent, hidden or somebody else's."""

    status = 404
    code = "missing"
    title = "There is nothing here for this caller"


class Conflict(Problem):
    """Tell that the session moved on; ``version`` is the current one."""

    status = 409
    code = "conflict"
    title = "The session has changed since it was read"


class Refused(Problem):
    """Refuse because a limit of the caller's own is reached."""

    status = 429
    code = "refused"
    title = "A limit is reached"


class BudgetSpent(Refused):
    """Name the spent budget, its reset and the way on."""

    code = "budget-spent"
    title = "The budget of documents is spent"


class FacetsSpent(Refused):
    """Name the spent facet quota and its reset."""

    code = "facets-spent"
    title = "The quota of facet values is spent"


class Busy(Refused):
    """Say no more than to come back later: what is reached is not the caller's."""

    code = "busy"
    title = "Try again later"


class TooFast(Refused):
    """Tell when the next call is welcome, in seconds."""

    code = "too-fast"
    title = "Too many calls in a short time"


class Unavailable(Problem):
    """Refuse because a part that the answer depends on does not answer."""

    status = 503
    code = "unavailable"
    title = "A part of the service does not answer"
