from __future__ import annotations

import json
from typing import Any

import pytest

from vitrine.interpret.reply import read
from vitrine.problems import Invalid
from vitrine.session import Intent
from vitrine.tree.model import EMPTY, Group, Rule
from vitrine.tree.parse import parse

RULES = {
    "type": "group",
    "operator": "and",
    "rules": [{"field": "a", "operator": "equals", "value": 1}],
}
TREE = Group("and", (Rule("a", "equals", 1),))
REPLY = {"intent": "search", "rule_group": RULES, "explanation": "One."}


def check(_: Intent, raw: Any) -> Group:
    return parse(raw, "/rule_group").tree


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(REPLY),
        f"```json\n{json.dumps(REPLY, indent=1)}\n```",
        f"Sure! Here {{it}} is:\n{json.dumps(REPLY)}\nHope this helps.",
        json.dumps(REPLY | {"rule_group": json.dumps(RULES)}),
        json.dumps(REPLY | {"rule_group": RULES["rules"]}),
        json.dumps(
            REPLY | {"rule_group": RULES | {"rules": json.dumps(RULES["rules"])}}
        ),
        json.dumps(REPLY | {"intent": " Search "}),
        json.dumps({"result": REPLY}),
        json.dumps(REPLY | {"sql": "drop table", "rank": 3}),
    ],
    ids=[
        "plain",
        "fenced",
        "prose",
        "string",
        "list",
        "rules",
        "case",
        "wrapped",
        "added",
    ],
)
def test_wrappings_are_taken_off(text: str) -> None:
    """J01, M01."""
    found = read(text, check)

    assert (found.intent, found.group, found.explanation) == ("search", TREE, "One.")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "no_object"),
        ("  \n ", "no_object"),
        ("Here are some results!", "no_object"),
        ("{" * 500, "no_object"),
        ('{"intent": "sea', "no_object"),
        ("[1, 2]", "no_object"),
        (json.dumps(REPLY | {"intent": "list_all"}), "unknown_intent"),
        (json.dumps({"intent": "search"}), "missing_value"),
        (json.dumps(REPLY | {"rule_group": None}), "missing_value"),
        (json.dumps(REPLY | {"rule_group": {}}), "missing_value"),
        (json.dumps(REPLY | {"rule_group": RULES | {"rules": []}}), "missing_value"),
    ],
)
def test_what_is_no_reply_is_a_fault_with_a_remedy(text: str, code: str) -> None:
    """J01, N07: an empty search is never a listing of everything."""
    with pytest.raises(Invalid) as refused:
        read(text, check)

    (fault,) = refused.value.faults
    assert fault.code == code
    assert fault.remedy


@pytest.mark.parametrize("intent", ["reset", "clarify"])
def test_intents_without_rules_drop_those_that_came(intent: str) -> None:
    assert read(json.dumps(REPLY | {"intent": intent}), check).group == EMPTY


def test_an_explanation_is_one_capped_line() -> None:
    found = read(json.dumps(REPLY | {"explanation": "a\n\n" * 500}), check)

    assert "\n" not in found.explanation
    assert len(found.explanation) <= 400
