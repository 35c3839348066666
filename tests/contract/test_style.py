"""The figures of CONTRIBUTING, measured on the package's own files."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest

from tests.contract.fix_house import HANDLERS, PACKAGE, ROOT

FILES = sorted(PACKAGE.rglob("*.py"))
Function = ast.FunctionDef | ast.AsyncFunctionDef
BLOCKS = (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.Match, ast.AsyncWith)
UNTOLD = re.compile(r"(^|_)(utils?|helpers?|common|managers?|services?|misc)$")


def functions() -> Iterator[tuple[str, Function]]:
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, Function):
                yield f"{path.relative_to(PACKAGE)}:{node.lineno} {node.name}", node


def body(node: Function) -> int:
    """Count a function's lines without its docstring."""
    first = node.body[0]
    told = ast.get_docstring(node) is not None
    doc = (first.end_lineno or 0) - first.lineno + 1 if told else 0
    return (node.end_lineno or 0) - node.lineno + 1 - doc


def nesting(node: ast.AST, level: int = 0) -> int:
    """Count how deep blocks stand; an ``elif`` stands beside its ``if``."""
    inner = [
        nesting(child, level + (isinstance(child, BLOCKS) and not chained(node, child)))
        for child in ast.iter_child_nodes(node)
        if not isinstance(child, Function | ast.Lambda)
    ]
    return max(inner, default=level)


def chained(node: ast.AST, child: ast.AST) -> bool:
    return (
        isinstance(node, ast.If)
        and isinstance(child, ast.If)
        and node.orelse == [child]
    )


def outermost(path: Path) -> Iterator[Function]:
    """Yield a module's own functions and its classes' methods, without closures."""
    for node in ast.parse(path.read_text()).body:
        held = node.body if isinstance(node, ast.ClassDef) else [node]
        yield from (n for n in held if isinstance(n, Function))


FOUND = list(functions())
LENGTHS = sorted(body(node) for _, node in FOUND)


def test_functions_are_short() -> None:
    assert 4 <= median(LENGTHS) <= 7
    assert LENGTHS[int(len(LENGTHS) * 0.95)] <= 30


def test_no_function_is_long() -> None:
    assert not [where for where, node in FOUND if body(node) > 60]


def test_blocks_nest_at_most_three_deep() -> None:
    assert not [where for where, node in FOUND if nesting(node) > 3]


def test_files_stay_below_five_hundred_lines() -> None:
    assert not [p for p in FILES if len(p.read_text().splitlines()) > 500]


def test_modules_say_why_they_exist() -> None:
    named = [p for p in (*FILES, *HANDLERS.values()) if p.stat().st_size]

    assert not [p for p in named if not ast.get_docstring(ast.parse(p.read_text()))]


def test_what_is_public_is_explained() -> None:
    public = [node for _, node in FOUND if not node.name.startswith("_")]
    told = [node for node in public if ast.get_docstring(node)]

    assert len(told) >= 0.8 * len(public)


def test_every_parameter_and_result_has_its_type() -> None:
    untyped = [
        where
        for where, node in FOUND
        for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        if arg.annotation is None and arg.arg not in {"self", "cls"}
    ]

    assert not untyped


def test_nothing_public_takes_a_boolean_by_position() -> None:
    assert not [
        f"{path.relative_to(PACKAGE)} {node.name}"
        for path in FILES
        for node in outermost(path)
        for arg in (*node.args.posonlyargs, *node.args.args)
        if isinstance(arg.annotation, ast.Name) and arg.annotation.id == "bool"
        if not node.name.startswith("_")
    ]


def test_nothing_has_a_name_that_tells_nothing() -> None:
    names = [*(p.stem for p in FILES), *(p.parent.name for p in FILES)]

    assert not [name for name in names if UNTOLD.search(name)]


def test_every_exception_to_a_rule_has_its_reason() -> None:
    bare = re.compile(r"#\s*(noqa(:\s*[A-Z0-9, ]+)?|type: ignore(\[[^\]]*\])?)\s*$")
    files = [*FILES, *HANDLERS.values(), *(ROOT / "tests").rglob("*.py")]

    assert not [
        f"{path}:{number}"
        for path in files
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if bare.search(line)
    ]


def test_tests_are_functions() -> None:
    classes = [
        f"{path}:{node.name}"
        for path in (ROOT / "tests").rglob("test_*.py")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef) and node.name.startswith("Test")
    ]

    assert not classes


@pytest.mark.parametrize("word", ["unittest.mock", "time.sleep"])
def test_tests_neither_patch_nor_sleep(word: str) -> None:
    files = [p for p in (ROOT / "tests").rglob("*.py") if p.name != "test_style.py"]

    assert not [p for p in files if word in p.read_text()]
