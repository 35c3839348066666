"""The last look: nothing but our own shapes is sent."""

from __future__ import annotations

import pytest

from vitrine.problems import Invalid
from vitrine.typesense.grammar import MOST_TOKENS, UnsafeFilterError, checked

GUARD = "GUARD:=[`a1`]"


@pytest.mark.parametrize(
    "text",
    [
        GUARD,
        f"{GUARD} && CODE_material:!=[`m01`,`m02`]",
        f"{GUARD} && (INT_price:[1..5,9] || HAS_price:=false)",
        f"{GUARD} && (INT_a:<=-5 && INT_b:>=7 && RED_c:[<3,>4])",
        f"{GUARD} && ((BOOL_x:!=true || HAS_y:=true) && TRIE_z:=[`8`])",
        f"{GUARD} && id:[0f8fad5b-d9cb-469f-a165-70867728950e]",
    ],
)
def test_our_shapes_pass_unchanged(text: str) -> None:
    assert text == checked(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hidden:=true",
        "CODE_material:=[`M01`]",
        "CODE_material:=[`a b`]",
        "CODE_material:=[`a`",
        "CODE_material:=[]",
        "CODE_material:=[`a\\`]",
        "CODE_material:a",
        f"{GUARD} || ",
        f"({GUARD}",
        f"{GUARD})",
        f"{GUARD}&&{GUARD}",
        f"{GUARD} && !{GUARD}",
        "INT_price:1.5",
        "INT_price:1e5",
        "INT_price:>nan",
        "INT_price:>99999999999999999999",
        "id:`a",
        "id:[abc]",
        f"{GUARD}\x00",
        f"{GUARD} && CODE_x:=[`a`] || hidden:=true",
    ],
)
def test_anything_else_is_never_sent(text: str) -> None:
    with pytest.raises(UnsafeFilterError):
        checked(text)


def test_a_filter_of_too_many_terms_is_refused_with_a_remedy() -> None:
    most = " && ".join([GUARD] * (MOST_TOKENS // 2))

    assert checked(most) == most
    with pytest.raises(Invalid) as refusal:
        checked(f"{most} && {GUARD}")
    assert "list" in refusal.value.faults[0].remedy
