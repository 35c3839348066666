"""Calls in several rounds: what is asked of the client, and the state between them.

The state is sealed by the product's own ring, so that the suite tries that.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    CreateMessageRequest,
    CreateMessageRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
    ListRootsRequest,
    SamplingMessage,
    TextContent,
)

from vitrine.problems import Invalid
from vitrine.seal import NONCE, SECRET, Ring, Sealed

RING = Ring([secrets.token_bytes(SECRET)], lambda: secrets.token_bytes(NONCE))
STATE = Sealed("state", ("conformance",))
LIFE = timedelta(minutes=10)
Round = CallToolResult | InputRequiredResult


def asking(
    questions: Mapping[str, tuple[str, str]],
    *,
    more: Mapping[str, Any] | None = None,
    state: Mapping[str, Any] | None = None,
) -> InputRequiredResult:
    """Ask for texts, each by its key: the question, and the member that answers it."""
    asked: dict[str, Any] = {
        key: _form(text, {member: {"type": "string"}})
        for key, (text, member) in questions.items()
    }
    sealed = None if state is None else _sealed(state)
    return InputRequiredResult(
        input_requests={**asked, **(more or {})} or None, request_state=sealed
    )


def _sealed(state: Mapping[str, Any]) -> str:
    return RING.seal(STATE, state, until=datetime.now(UTC) + LIFE)


def _form(message: str, members: dict[str, Any]) -> ElicitRequest:
    schema = {"type": "object", "properties": members, "required": list(members)}
    params = ElicitRequestFormParams(message=message, requested_schema=schema)
    return ElicitRequest(params=params)


def sampling(text: str, tokens: int) -> CreateMessageRequest:
    """Ask the client's model."""
    said = SamplingMessage(role="user", content=TextContent(type="text", text=text))
    params = CreateMessageRequestParams(messages=[said], max_tokens=tokens)
    return CreateMessageRequest(params=params)


def heard(responses: Mapping[str, Any] | None, key: str) -> dict[str, Any] | None:
    """Read what a form was filled with, None where it is not there."""
    answer = (responses or {}).get(key)
    if isinstance(answer, ElicitResult) and answer.action == "accept":
        return dict(answer.content or {})
    return None


def opened(asked: CallToolRequestParams) -> dict[str, Any]:
    """Open the state that came back; refuse one that was tampered with."""
    try:
        return RING.open(STATE, asked.request_state or "", now=datetime.now(UTC))
    except Invalid as error:
        raise MCPError(INVALID_PARAMS, "Invalid or expired requestState") from error


def _done(text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)])


def elicitation(_: Any, asked: CallToolRequestParams) -> Round:
    """Ask for a name, and greet by it."""
    answer = heard(asked.input_responses, "user_name")
    if answer is None or not isinstance(answer.get("name"), str):
        return asking({"user_name": ("What is your name?", "name")})
    return _done(f"Hello, {answer['name']}!")


def model(_: Any, asked: CallToolRequestParams) -> Round:
    """Ask the client's model for a capital."""
    answer = (asked.input_responses or {}).get("capital_question")
    if answer is None:
        question = sampling("What is the capital of France?", 100)
        return asking({}, more={"capital_question": question})
    return _done(f"The model said: {_text(answer)}")


def roots(_: Any, asked: CallToolRequestParams) -> Round:
    """Ask for the client's roots."""
    answer = (asked.input_responses or {}).get("client_roots")
    if answer is None:
        return asking({}, more={"client_roots": ListRootsRequest()})
    named = ", ".join(str(root.uri) for root in getattr(answer, "roots", ()))
    return _done(f"Roots: {named}")


def _text(answer: Any) -> str:
    return str(getattr(getattr(answer, "content", None), "text", ""))


def request_state(_: Any, asked: CallToolRequestParams) -> Round:
    """Ask for a confirmation under a state, and check the state."""
    if not asked.input_responses:
        confirm = {"confirm": _form("Please confirm", {"ok": {"type": "boolean"}})}
        return asking({}, more=confirm, state={"round": 1})
    opened(asked)
    return _done("state-ok")


def several(_: Any, asked: CallToolRequestParams) -> Round:
    """Ask three things at once."""
    keys = {"user_name", "greeting", "client_roots"}
    if not keys <= set(asked.input_responses or {}):
        more = {
            "greeting": sampling("Generate a greeting", 50),
            "client_roots": ListRootsRequest(),
        }
        name = {"user_name": ("What is your name?", "name")}
        return asking(name, more=more, state={"round": 1})
    opened(asked)
    return _done("All three were heard.")


def many_rounds(_: Any, asked: CallToolRequestParams) -> Round:
    """Ask twice, remembering the first answer in the state."""
    if asked.request_state is None:
        first = {"step1": ("Step 1: What is your name?", "name")}
        return asking(first, state={"round": 1})
    kept = opened(asked)
    if kept["round"] == 1:
        name = (heard(asked.input_responses, "step1") or {}).get("name")
        second = {"step2": ("Step 2: What is your favorite color?", "color")}
        return asking(second, state={"round": 2, "name": name})
    colour = (heard(asked.input_responses, "step2") or {}).get("color")
    return _done(f"{kept['name']} likes {colour}.")


def able(context: ServerRequestContext[Any], _: CallToolRequestParams) -> Round:
    """Ask only for what the client said that it can."""
    can = context.session.client_capabilities
    more: dict[str, Any] = {}
    if can is not None and can.elicitation is not None:
        more["user_name"] = _form("What is your name?", {"name": {"type": "string"}})
    if can is not None and can.sampling is not None:
        more["greeting"] = sampling("Generate a greeting", 50)
    return asking({}, more=more) if more else _done("Nothing can be asked.")


ROUNDS = {
    "elicitation": elicitation,
    "sampling": model,
    "list_roots": roots,
    "request_state": request_state,
    "tampered_state": request_state,
    "multiple_inputs": several,
    "multi_round": many_rounds,
    "capabilities": able,
}
