"""Relations: rows by the roles, tags and names of the contacts that they touch.

The neighbouring views hold visible contacts and links through visible rows alone,
so that a hidden contact neither matches nor excludes.
"""

from __future__ import annotations

from typing import Literal

from psycopg import sql

from vitrine.postgres.binds import Binds, storable
from vitrine.postgres.scope import ROW, Scope
from vitrine.tree.conditions import Linked

_IN = sql.SQL("{}.id IN (SELECT k.id FROM {} AS k WHERE {})")
_ARRAY = sql.SQL("{}.id = ANY(ARRAY(SELECT k.id FROM {} AS k WHERE {}))")
_ROLE = sql.SQL("k.role_key = ANY(ARRAY[{}])")
_ROLE_KEY = sql.SQL("vitrine.role_key({})")
_NAME = sql.SQL(
    "k.names @@ plainto_tsquery('vitrine.plain'::regconfig, vitrine.fold({}))"
)


def linked(
    leaf: Linked, scope: Scope, binds: Binds, *, within: Literal["and", "or", "not"]
) -> sql.Composable:
    """Test a link by role or tag, by name, or by both on their own."""
    roles = [role for role in leaf.roles if storable(role)]
    tests = []
    if roles:
        keys = [_ROLE_KEY.format(binds(role, "text")) for role in roles]
        tests.append(("_roles", _ROLE.format(sql.SQL(", ").join(keys))))
    if leaf.name and storable(leaf.name):
        tests.append(("_names", _NAME.format(binds(leaf.name, "text"))))
    if not tests:
        return sql.SQL("FALSE")
    template = _ARRAY if within == "or" else _IN
    made = [template.format(ROW, scope.beside(near), test) for near, test in tests]
    return sql.SQL("({})").format(sql.SQL(" AND ").join(made))
