"""The suite's resources and prompts, by the names that it asks for."""

from __future__ import annotations

import json
import re
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    BlobResourceContents,
    CompleteResult,
    Completion,
    EmbeddedResource,
    EmptyResult,
    GetPromptRequestParams,
    GetPromptResult,
    ImageContent,
    InputRequiredResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    Prompt,
    PromptArgument,
    PromptMessage,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
)

from infra.conformance.rounds import asking, heard

IMAGE = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9"
    "awAAAABJRU5ErkJggg=="
)
"""One pixel as PNG."""
TEMPLATE = re.compile(r"test://template/([^/]+)/data")
RESOURCES = {
    "test://static-text": ("Static text", "text/plain"),
    "test://static-binary": ("Static binary", "image/png"),
    "test://watched-resource": ("Watched", "text/plain"),
}


async def resources(_: Any, __: Any) -> ListResourcesResult:
    """List the resources."""
    listed = [
        Resource(uri=uri, name=name, description=f"{name}.", mime_type=kind)
        for uri, (name, kind) in RESOURCES.items()
    ]
    return ListResourcesResult(resources=listed)


async def templates(_: Any, __: Any) -> ListResourceTemplatesResult:
    """List the one template."""
    one = ResourceTemplate(
        uri_template="test://template/{id}/data",
        name="Template",
        description="Data by id.",
        mime_type="application/json",
    )
    return ListResourceTemplatesResult(resource_templates=[one])


async def read(_: Any, asked: ReadResourceRequestParams) -> ReadResourceResult:
    """Read a resource, or refuse one that is not there."""
    uri = asked.uri
    if uri == "test://static-binary":
        blob = BlobResourceContents(uri=uri, mime_type="image/png", blob=IMAGE)
        return ReadResourceResult(contents=[blob])
    text, kind = _text(uri)
    found = TextResourceContents(uri=uri, mime_type=kind, text=text)
    return ReadResourceResult(contents=[found])


def _text(uri: str) -> tuple[str, str]:
    if uri == "test://static-text":
        return "This is the content of the static text resource.", "text/plain"
    if uri == "test://watched-resource":
        return "Watched resource content", "text/plain"
    match = TEMPLATE.fullmatch(uri)
    if match is None:
        raise MCPError(INVALID_PARAMS, "Resource not found", {"uri": uri})
    said = {"id": match[1], "templateTest": True, "data": f"Data for ID: {match[1]}"}
    return json.dumps(said), "application/json"


async def subscribed(_: Any, __: Any) -> EmptyResult:
    """Accept: nothing of a stateless server ever changes for a listener."""
    return EmptyResult()


PROMPTS: dict[str, tuple[str, ...]] = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
    "test_input_required_result_prompt": (),
}


async def prompts(_: Any, __: Any) -> ListPromptsResult:
    """List the prompts."""
    listed = [
        Prompt(
            name=name,
            description=f"{name}.",
            arguments=[
                PromptArgument(name=a, description=a, required=True) for a in taken
            ],
        )
        for name, taken in PROMPTS.items()
    ]
    return ListPromptsResult(prompts=listed)


async def prompt(
    _: Any, asked: GetPromptRequestParams
) -> GetPromptResult | InputRequiredResult:
    """Give a prompt's messages, or ask first."""
    if asked.name not in PROMPTS:
        raise MCPError(INVALID_PARAMS, f"There is no prompt {asked.name!r}.")
    if asked.name == "test_input_required_result_prompt":
        answer = heard(asked.input_responses, "user_context")
        if answer is None:
            question = "What context should the prompt use?"
            return asking({"user_context": (question, "context")})
        return _messages(_said(f"In this context: {answer.get('context')}"))
    return _messages(*_contents(asked.name, asked.arguments or {}))


def _contents(name: str, given: dict[str, str]) -> list[Any]:
    if name == "test_simple_prompt":
        return [_said("This is a simple prompt for testing.")]
    if name == "test_prompt_with_arguments":
        one, two = given.get("arg1"), given.get("arg2")
        return [_said(f"Prompt with arguments: arg1='{one}', arg2='{two}'")]
    if name == "test_prompt_with_image":
        image = ImageContent(type="image", data=IMAGE, mime_type="image/png")
        return [image, _said("Please analyze the image above.")]
    embedded = TextResourceContents(
        uri=given.get("resourceUri", ""),
        mime_type="text/plain",
        text="Embedded resource content for testing.",
    )
    return [
        EmbeddedResource(type="resource", resource=embedded),
        _said("Please process the embedded resource above."),
    ]


def _said(text: str) -> TextContent:
    return TextContent(type="text", text=text)


def _messages(*contents: Any) -> GetPromptResult:
    said = [PromptMessage(role="user", content=content) for content in contents]
    return GetPromptResult(messages=said)


async def completed(_: Any, __: Any) -> CompleteResult:
    """Complete nothing."""
    return CompleteResult(completion=Completion(values=[], total=0, has_more=False))
