"""The suite's tools, by the names and with the answers that it asks for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    AudioContent,
    CallToolRequestParams,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    InputRequiredResult,
    ListToolsResult,
    SamplingMessage,
    TextContent,
    TextResourceContents,
    Tool,
)

from infra.conformance.reading import IMAGE
from infra.conformance.rounds import ROUNDS

AUDIO = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
Context = ServerRequestContext[Any]
Result = CallToolResult | InputRequiredResult
Answer = Callable[[Context, CallToolRequestParams], Awaitable[CallToolResult]]
PROMPT = {"prompt": {"type": "string"}}
MESSAGE = {"message": {"type": "string"}}
HEADED = {"region": {"type": "string", "x-mcp-header": "Region"}}
RICH: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


def _text(text: str) -> TextContent:
    return TextContent(type="text", text=text)


def _done(*content: Any) -> CallToolResult:
    return CallToolResult(content=list(content))


def _fixed(*content: Any) -> Answer:
    async def answer(_: Context, __: CallToolRequestParams) -> CallToolResult:
        return _done(*content)

    return answer


async def _failing(_: Context, __: CallToolRequestParams) -> CallToolResult:
    said = _text("This tool intentionally returns an error for testing")
    return CallToolResult(content=[said], is_error=True)


async def _progress(context: Context, _: CallToolRequestParams) -> CallToolResult:
    for done in (0, 50, 100):
        await context.session.report_progress(done, 100)
    return _done(_text("Progress was reported."))


async def _logging(context: Context, _: CallToolRequestParams) -> CallToolResult:
    for said in ("started", "processing data", "completed"):
        await context.session.send_log_message("info", f"Tool execution {said}")
    return _done(_text("Tool with logging executed successfully"))


async def _sampling(context: Context, asked: CallToolRequestParams) -> CallToolResult:
    prompt = str((asked.arguments or {}).get("prompt", ""))
    said = SamplingMessage(role="user", content=_text(prompt))
    answer = await context.session.create_message([said], max_tokens=100)
    return _done(_text(f"LLM response: {getattr(answer.content, 'text', '')}"))


def _eliciting(schema: dict[str, Any]) -> Answer:
    async def answer(context: Context, asked: CallToolRequestParams) -> CallToolResult:
        message = str((asked.arguments or {}).get("message", "Please answer."))
        heard = await context.session.elicit_form(message, schema)
        said = f"action={heard.action}, content={heard.content}"
        return _done(_text(f"Elicitation completed: {said}"))

    return answer


async def _able(context: Context, _: CallToolRequestParams) -> CallToolResult:
    can = context.session.client_capabilities
    if can is None or can.sampling is None:
        needed: dict[str, Any] = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(
            MISSING_REQUIRED_CLIENT_CAPABILITY, "Sampling is needed.", needed
        )
    return _done(_text("The client can sample."))


def _form(members: Mapping[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "properties": members, "required": list(required)}


_STATES = {"type": "string", "enum": ["active", "inactive", "pending"]}
_USER = _form(
    {"username": {"type": "string"}, "email": {"type": "string"}},
    "username",
    "email",
)
_DEFAULTS = _form(
    {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {**_STATES, "default": "active"},
        "verified": {"type": "boolean", "default": True},
    }
)
_MIXED = TextResourceContents(
    uri="test://mixed-content-resource",
    mime_type="application/json",
    text='{"test":"data","value":123}',
)
_EMBEDDED = TextResourceContents(
    uri="test://embedded-resource",
    mime_type="text/plain",
    text="This is an embedded resource content.",
)
_PIXEL = ImageContent(type="image", data=IMAGE, mime_type="image/png")
ANSWERS: dict[str, tuple[Answer, Mapping[str, Any]]] = {
    "test_simple_text": (
        _fixed(_text("This is a simple text response for testing.")),
        {},
    ),
    "test_image_content": (_fixed(_PIXEL), {}),
    "test_audio_content": (
        _fixed(AudioContent(type="audio", data=AUDIO, mime_type="audio/wav")),
        {},
    ),
    "test_embedded_resource": (
        _fixed(EmbeddedResource(type="resource", resource=_EMBEDDED)),
        {},
    ),
    "test_multiple_content_types": (
        _fixed(
            _text("Multiple content types test:"),
            _PIXEL,
            EmbeddedResource(type="resource", resource=_MIXED),
        ),
        {},
    ),
    "test_tool_with_logging": (_logging, {}),
    "test_logging_tool": (_fixed(_text("Nothing was logged.")), {}),
    "test_tool_with_progress": (_progress, {}),
    "test_error_handling": (_failing, {}),
    "test_sampling": (_sampling, PROMPT),
    "test_elicitation": (_eliciting(_USER), MESSAGE),
    "test_elicitation_sep1034_defaults": (_eliciting(_DEFAULTS), {}),
    "test_elicitation_sep1330_enums": (_eliciting(_form({"one": _STATES})), {}),
    "test_missing_capability": (_able, {}),
    "test_streaming_elicitation": (_fixed(_text("Nothing is streamed.")), {}),
    "test_header_tool": (_fixed(_text("The header was right.")), HEADED),
    "json_schema_2020_12_tool": (_fixed(_text("A rich schema.")), {}),
}
SCHEMAS: dict[str, dict[str, Any]] = {
    **{name: {"type": "object", "properties": m} for name, (_, m) in ANSWERS.items()},
    **{
        f"test_input_required_result_{name}": {"type": "object", "properties": {}}
        for name in ROUNDS
    },
    "json_schema_2020_12_tool": RICH,
}


async def listed(_: Any, __: Any) -> ListToolsResult:
    """List the tools in one order."""
    found = [
        Tool(name=name, description=f"Fixture {name}.", input_schema=SCHEMAS[name])
        for name in sorted(SCHEMAS)
    ]
    return ListToolsResult(tools=found)


async def called(context: Context, asked: CallToolRequestParams) -> Result:
    """Call a tool."""
    name = asked.name.removeprefix("test_input_required_result_")
    if name != asked.name and name in ROUNDS:
        return ROUNDS[name](context, asked)
    if asked.name not in ANSWERS:
        raise MCPError(INVALID_PARAMS, f"There is no tool {asked.name!r}.")
    answer, _ = ANSWERS[asked.name]
    return await answer(context, asked)


def schema(name: str) -> Mapping[str, Any] | None:
    """Give a tool's schema, by which its headers are judged."""
    return SCHEMAS.get(name)
