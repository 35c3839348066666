from __future__ import annotations

import json
from typing import Any

import pytest

from vitrine.edge.arguments import Search, located, search
from vitrine.edge.calls import Describe, describe
from vitrine.problems import Invalid
from vitrine.tree.parse import parse

RED = {"field": "colour", "operator": "equals", "value": "red"}
CHEAP = {"field": "price", "operator": "less_than", "value": "50"}


def rules(**arguments: Any) -> list[Any]:
    tree = search(arguments).tree
    return [] if tree is None else tree["rules"]


def faults(**arguments: Any) -> list[str]:
    with pytest.raises(Invalid) as refusal:
        search(arguments)
    return [f"{f.pointer} {f.message} {f.remedy}" for f in refusal.value.faults]


def test_no_argument_asks_for_nothing_in_particular() -> None:
    assert Search() == search({})


def test_a_query_is_text_and_nothing_else() -> None:
    text = {"field": "full_text_search", "operator": "hybrid_search"}

    assert [text | {"value": "red lamp"}] == rules(query="  red lamp ")


def test_filters_must_all_hold() -> None:
    assert rules(filters=[RED, CHEAP]) == [RED, CHEAP]


def test_several_values_are_alternatives() -> None:
    both = {"field": "colour", "operator": "equals", "values": ["red", "blue"]}

    ((group,), *_) = (rules(filters=[both]),)

    assert group["operator"] == "or"
    assert [r["value"] for r in group["rules"]] == ["red", "blue"]


def test_several_values_of_a_negative_operator_are_all_excluded() -> None:
    neither = {"field": "colour", "operator": "not_equals", "values": ["red", "blue"]}

    assert rules(filters=[neither])[0]["operator"] == "and"


@pytest.mark.parametrize("operator", ["in", "not_in", "between", "vocab_text_in"])
def test_an_operator_on_lists_takes_them_whole(operator: str) -> None:
    given = {"field": "f", "operator": operator, "values": ["1", "2"]}

    assert [{"field": "f", "operator": operator, "value": ["1", "2"]}] == rules(
        filters=[given]
    )


def test_a_single_value_of_a_list_operator_is_a_list_of_one() -> None:
    assert [r["value"] for r in rules(filters=[RED | {"operator": "in"}])] == [["red"]]


def test_clauses_make_any_boolean_rule() -> None:
    tree: dict[str, Any] = {"type": "group", "operator": "and"}
    tree |= {
        "rules": rules(all=[{"any": [RED, CHEAP]}, {"any": [RED | {"not": True}]}])
    }

    assert not parse(tree).faults
    assert [r["operator"] for r in tree["rules"]] == ["or", "or"]
    assert tree["rules"][1]["rules"][0]["not"] is True


@pytest.mark.parametrize(
    "stringified",
    [
        {"filters": json.dumps([RED])},
        {"filters": [json.dumps(RED)]},
        {"all": json.dumps([{"any": [RED]}])},
        {"all": [json.dumps({"any": json.dumps([RED])})]},
    ],
)
def test_m01_lists_and_objects_may_come_as_json_text(
    stringified: dict[str, Any],
) -> None:
    plain = {k: [RED] if k == "filters" else [{"any": [RED]}] for k in stringified}

    assert rules(**plain) == rules(**stringified)


def test_m01_a_text_value_that_looks_like_json_stays_text() -> None:
    assert rules(filters=[RED | {"value": '["x"'}])[0]["value"] == '["x"'


@pytest.mark.parametrize("absent", [None, "null"])
def test_null_is_absent(absent: Any) -> None:
    names = ("query", "filters", "all", "session", "cursor", "limit", "language")

    assert Search() == search(dict.fromkeys(names, absent))


@pytest.mark.parametrize(
    ("pointer", "argument"),
    [
        ("", ""),
        ("/rules/0/value", "/query"),
        ("/rules/1/value", "/filters/0/value"),
        ("/rules/2/rules/1/value", "/filters/1/values/1/value"),
        ("/rules/3/rules/0/field", "/all/0/any/0/field"),
    ],
)
def test_a_fault_is_told_where_the_agent_wrote_it(pointer: str, argument: str) -> None:
    several = {"field": "colour", "operator": "equals", "values": ["red", "blue"]}
    asked = search({"query": "x", "filters": [RED, several], "all": [{"any": [CHEAP]}]})

    assert argument == located(pointer, asked)


def test_unknown_arguments_are_refused_in_words() -> None:
    (fault,) = faults(shape="round")

    assert fault == (
        "/shape shape: unknown argument Allowed: query, filters, all, intent, session, "
        "cursor, sort, limit, dry_run, request_id, language."
    )


@pytest.mark.parametrize("name", ["filters", "all"])
@pytest.mark.parametrize("text", ["[" * 50_000, "[" + "9" * 5_000 + "]", "[NaN", "{"])
def test_a_text_that_is_no_list_is_refused_in_words(name: str, text: str) -> None:
    assert faults(**{name: text})[0].startswith(f"/{name}")


@pytest.mark.parametrize("name", ["tenant", "account", "subject", "profile", "scope"])
def test_nobody_says_who_they_are_in_an_argument(name: str) -> None:
    assert name in faults(**{name: "somebody"})[0]


@pytest.mark.parametrize("limit", [0, 10, "7", 3.0, "null"])
def test_a_limit_is_read(limit: Any) -> None:
    assert search({"limit": limit}).limit in range(11)


@pytest.mark.parametrize(
    "limit", [11, -1, 2.5, True, "ten", "99", "9" * 5_000, [5], float("nan")]
)
def test_a_limit_out_of_bounds_is_refused_naming_ten(limit: Any) -> None:
    assert "10" in faults(limit=limit)[0]


@pytest.mark.parametrize(
    "broken",
    [
        {"filters": "red"},
        {"filters": {"field": "colour"}},
        {"filters": ["red"]},
        {"filters": [{"field": "colour"}]},
        {"filters": [RED | {"values": ["blue"]}]},
        {"filters": [RED | {"not": "perhaps"}]},
        {"filters": [RED | {"operation": "equals"}]},
        {"all": [RED]},
        {"all": [{"any": RED}]},
        {"all": [{"any": [RED], "or": []}]},
        {"query": ["red"]},
        {"query": "x" * 1001},
        {"session": 5},
        {"language": "<script>"},
    ],
)
def test_what_can_not_be_read_is_refused_where_it_stands(
    broken: dict[str, Any],
) -> None:
    (name,) = broken

    assert f"/{name}" in faults(**broken)[0]


def test_a_lone_source_need_not_be_named() -> None:
    assert Describe("shop") == describe({}, ["shop"])


@pytest.mark.parametrize("given", [{}, {"source": "crm"}])
def test_a_source_is_refused_by_naming_those_there_are(given: dict[str, Any]) -> None:
    with pytest.raises(Invalid) as refusal:
        describe(given, ["library", "shop"])

    assert refusal.value.faults[0].remedy == "Sources: library, shop."


@pytest.mark.parametrize(
    ("old", "ours"), [("q", "query"), ("top_k", "limit"), ("session_id", "session")]
)
def test_a_name_of_other_tools_is_answered_with_ours(old: str, ours: str) -> None:
    assert f"{old}: is called {ours} here" in faults(**{old: "x"})[0]


def test_what_is_removed_needs_no_operator() -> None:
    asked = search({"intent": "remove", "filters": [{"field": "colour"}]})

    assert asked.tree is not None
    assert asked.tree["rules"] == [{"field": "colour"}]
    assert "needs a field and an operator" in faults(filters=[{"field": "colour"}])[0]


@pytest.mark.parametrize("intent", ["clarify", "delete", 3])
def test_only_five_intents_are_an_agents(intent: Any) -> None:
    assert "/intent" in faults(intent=intent)[0]
