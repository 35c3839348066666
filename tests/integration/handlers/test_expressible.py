"""What the chat understood can be sent by hand: the same tree, the same documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.integration.handlers.conftest import Post

SENTENCES = [
    ("products", "closed", "en", ["oak tables under 900 euros", "or chairs"]),
    ("products", "closed", "en", ["red or blue lamps", "not red", "forget the colour"]),
    ("products", "closed", "fr", ["une lampe en laiton à moins de 300 €", "en stock"]),
    ("products", "trusted", "fr", ["entre 100 et 200 euros", "plutôt 150 à 250"]),
    (
        "media",
        "trusted",
        "fr",
        ["quelque chose de calme, en paysage, pas ceux du printemps dernier"],
    ),
    ("media", "trusted", "en", ["photos from last month", "wider than 2 m", "in red"]),
    ("media", "trusted", "en", ["without a photographer", "tagged sunset"]),
    ("media", "closed", "fr", ["portrait, coucher de soleil", "enlève le portrait"]),
    ("persons", "trusted", "en", ["all suppliers", "in Lyon", "without an email"]),
    ("persons", "trusted", "fr", ["les clients pas encore VIP"]),
    ("events", "trusted", "en", ["meetings with Marie last month"]),
]


@pytest.mark.parametrize("case", SENTENCES, ids=lambda case: case[3][0])
def test_a_chats_tree_is_the_editors_tree(
    post: Post, token: Callable[..., str], case: tuple[str, str, str, list[str]]
) -> None:
    source, profile, language, messages = case
    bearer, asked = token(profile=profile), {"source": source, "language": language}
    turn: dict[str, Any] = {}

    for message in messages:
        kept = {"session": turn["session"]} if turn else {}
        answer = post("/v1/interpret", asked | kept | {"message": message}, bearer)
        assert answer.status == 200, answer.body
        turn = answer.json

    by_hand = asked | {"tree": turn["tree"]}
    judged = post("/v1/validate", by_hand, bearer).json
    assert (judged["errors"], judged["tree"]) == ([], turn["tree"])
    of_chat = asked | {"session": turn["session"], "surface": "chat_preview"}
    answers = [post("/v1/execute", b, bearer) for b in (of_chat, by_hand)]
    assert [a.status for a in answers] == [200, 200], answers[0].body
    chat, hand = (answer.json for answer in answers)
    assert [h["ref"] for h in chat["hits"]] == [h["ref"] for h in hand["hits"]]
    for part in ("total", "facets"):
        assert chat[part] == hand[part]
