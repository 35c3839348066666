from __future__ import annotations

from pathlib import Path

import pytest

from infra.local.stack import TEMPLATE
from infra.local.template import Route, Template, UnknownReference

FIXTURE = Path(__file__).parent / "fixtures" / "template.yaml"
VALUES = {"AWS::Region": "eu-west-1", "Issuer": "http://issuer", "Table": "t"}
GIVEN = {
    **VALUES,
    "AWS::Partition": "aws",
    "AWS::AccountId": "123456789012",
    "Table.Arn": "arn:table",
    "Audience": "http://api/mcp",
    "AllowedHosts": "api",
}


def template(text: str, tmp_path: Path, **values: str) -> Template:
    path = tmp_path / "template.yaml"
    path.write_text(text)
    return Template(path, values)


def test_a_function_has_its_own_and_the_globals_variables() -> None:
    echo = Template(FIXTURE, VALUES).functions()[0]

    assert echo.environment == {
        "SHARED": "from globals",
        "OWN": "from the function",
        "VITRINE_TABLE": "t",
        "GREETING": "hello, eu-west-1 ${literal}",
        "VITRINE_ISSUER": "http://issuer",
        "VITRINE_DSN_SECRET": "vitrine/postgres",
        "POLITE": "true",
    }


def test_a_value_given_replaces_a_default_and_no_value_removes() -> None:
    echo = Template(FIXTURE, {**VALUES, "Greeting": ""}).functions()[0]

    assert echo.environment["GREETING"] == ", eu-west-1 ${literal}"
    assert "POLITE" not in echo.environment


def test_routes_schedules_and_limits_are_read() -> None:
    functions = {f.name: f for f in Template(FIXTURE, VALUES).functions()}

    assert list(functions) == ["Echo", "Broken", "Slow", "Mortal", "Tick"]
    assert Route("GET", "/items/{id}") in functions["Echo"].routes
    assert (functions["Echo"].timeout, functions["Slow"].timeout) == (20, 1)
    assert functions["Tick"].schedules == ("rate(5 minutes)",)
    assert functions["Echo"].code == FIXTURE.parent / "echo"


@pytest.mark.parametrize(
    ("value", "named"),
    [
        ("!Ref Nobody", "Nobody"),
        ("!GetAtt Nobody.Arn", "Nobody.Arn"),
        ('!Sub "x ${Nobody}"', "Nobody"),
        ("!ImportValue x", "Fn::ImportValue"),
    ],
)
def test_an_unknown_reference_is_named(value: str, named: str, tmp_path: Path) -> None:
    text = (
        "Resources: {F: {Type: AWS::Serverless::Function, Properties: "
        "{CodeUri: f/, Handler: h.h, Environment: {Variables: {X: " + value + "}}}}}"
    )

    with pytest.raises(UnknownReference, match=named):
        template(text, tmp_path).functions()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("!Ref A", "1"),
        ("!Sub '${A}-${B}'", "1-2"),
        ("!Sub ['${A}-${Own}', {Own: !Ref B}]", "1-2"),
        ("!GetAtt C.Arn", "arn"),
        ("!GetAtt [C, Arn]", "arn"),
        ("{'Fn::GetAtt': [C, Arn]}", "arn"),
        ("!Join ['/', [!Ref A, b]]", "1/b"),
        ("!If [Same, yes, no]", "true"),
        ("!If [Other, 5, 6]", "6"),
    ],
)
def test_a_known_reference_has_its_value(
    value: str, expected: str, tmp_path: Path
) -> None:
    text = (
        "Conditions: {Same: !Equals [!Ref A, 1], "
        "Other: !And [!Condition Same, !Or [!Not [!Condition Same]]]}\n"
        "Resources: {F: {Type: AWS::Serverless::Function, Properties: "
        "{CodeUri: f/, Handler: h.h, Environment: {Variables: {X: " + value + "}}}}}"
    )

    parsed = template(text, tmp_path, A="1", B="2", **{"C.Arn": "arn"})

    assert parsed.functions()[0].environment["X"] == expected


def test_the_product_s_template_needs_nothing_else() -> None:
    functions = Template(TEMPLATE, GIVEN).functions()

    assert {"Interpret", "Execute", "Mcp"} <= {each.name for each in functions}
    assert Template(TEMPLATE, GIVEN).table["KeySchema"]
