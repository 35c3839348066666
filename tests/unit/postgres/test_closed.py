"""SQL is built from `psycopg.sql` and bound values alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.local.folders import ROOT

PACKAGE = ROOT / "shared" / "vitrine" / "postgres"
SOURCES = sorted(PACKAGE.glob("*.py"))
CALLS = {"SQL", "execute", "executemany", "copy", "stream"}
IMPURE = {"line.py", "search.py"}
WORDS = ("select ", "insert ", "update ", "delete ", " where ", " from ", "limit ")


def called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    yield from (n for n in ast.walk(tree) if isinstance(n, ast.Call))


def constant(node: ast.expr) -> bool:
    """Tell a literal text, or a choice between two."""
    if isinstance(node, ast.IfExp):
        return constant(node.body) and constant(node.orelse)
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def offences(tree: ast.AST) -> Iterator[str]:
    for call in calls(tree):
        first = call.args[0] if call.args else None
        if called(call) == "SQL" and not (first and constant(first)):
            yield f"line {call.lineno}: sql.SQL of something else than a literal"
        built = isinstance(first, ast.JoinedStr | ast.BinOp | ast.Constant)
        if called(call) in CALLS - {"SQL"} and built:
            yield f"line {call.lineno}: a plain string is executed"
    for node in ast.walk(tree):
        said = " ".join(str(t.value) for t in built_of(node)).lower()
        if any(word in f" {said} " for word in WORDS):
            yield f"line {node.lineno}: a built string that looks like SQL"  # type: ignore[attr-defined] # an expression


def built_of(node: ast.AST) -> list[ast.Constant]:
    """List the literal parts of a string that is put together here."""
    parts: list[ast.expr] = []
    if isinstance(node, ast.JoinedStr):
        parts = node.values
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
        parts = [node.left, node.right]
    elif isinstance(node, ast.AugAssign):
        parts = [node.value]
    elif isinstance(node, ast.Call) and called(node) in ("format", "join", "replace"):
        parts = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        parts += [e for a in node.args if isinstance(a, ast.List) for e in a.elts]
    return [
        p for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, str)
    ]


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_no_sql_is_built_from_strings(source: Path) -> None:
    """F12: what is not in a closed table of templates never becomes SQL."""
    assert list(offences(ast.parse(source.read_text(encoding="utf-8")))) == []


@pytest.mark.parametrize(
    "line",
    [
        'sql.SQL(f"SELECT {x}")',
        'sql.SQL("SELECT " + x)',
        'sql.SQL("SELECT %s" % x)',
        'sql.SQL("SELECT {}".format(x))',
        'connection.execute("SELECT 1")',
        'cursor.execute(f"SELECT {x}")',
        'y = f"SELECT {x} FROM t"',
        'y = "SELECT " + x',
        'y = x + " LIMIT 5"',
        'y = "DELETE FROM %s" % x',
        'y = "SELECT {} FROM t".format(x)',
        'y += " WHERE " + x',
        'y += " AND x IN (SELECT 1)"',
        'y = " ".join(["SELECT", x])',
        "sql.SQL(x)",
    ],
)
def test_the_guard_sees_each_way(line: str) -> None:
    assert list(offences(ast.parse(line)))


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_only_two_modules_reach_a_server(source: Path) -> None:
    found = {
        alias.name if isinstance(node, ast.Import) else str(node.module)
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    connects = {
        name for name in found if name.startswith(("psycopg", "boto", "urllib"))
    }

    assert source.name in IMPURE or connects <= {"psycopg"}
