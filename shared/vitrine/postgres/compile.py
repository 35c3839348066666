"""Conditions → SQL: pure, closed and two-valued.

Only templates of this package and bound values become SQL, so that the list of
operators is closed and none of them can raise on a hidden row: the views are no
security barriers, and an error would tell of what they hide.

PostgreSQL's NULL stands for "false" up to the nearest ``Not``, which says
``IS NOT TRUE``; so each test stays bare and its index usable.
"""

from __future__ import annotations

from typing import Literal

from psycopg import sql

from vitrine.language.folding import fold
from vitrine.postgres import colours, fields, links, ranges
from vitrine.postgres.binds import Binds, storable
from vitrine.postgres.scope import Scope, column
from vitrine.postgres.wording import websearch, wording
from vitrine.registry.operators import FieldType
from vitrine.tree.conditions import (
    All,
    Any,
    Between,
    Condition,
    Contains,
    Linked,
    Member,
    Near,
    Not,
    Present,
    Text,
)

Within = Literal["and", "or", "not"]
"""What a test stands in: it decides between EXISTS, ARRAY() and a plain filter."""

TRUE = sql.SQL("TRUE")
FALSE = sql.SQL("FALSE")
_AND = sql.SQL(" AND ")
_OR = sql.SQL(" OR ")
_GROUP = sql.SQL("({})")
_SEVERAL = 2
_NOT = sql.SQL("({}) IS NOT TRUE")
# A query without a positive word would list everything that lacks the others.
_MATCH = sql.SQL("({vector} @@ {query} AND querytree({query}) NOT IN ('', 'T'))")
# The index is entered at the caller's own marks, so that no row is met that is hidden:
# two thousand of them took 0.7 ms a look. The row decides on order, negations and
# letters alone, by the function and not its operator, whose estimate would count twice.
_VISIBLE = sql.SQL("({scoped} @@ vitrine.scoped_query({query}) AND {exact})")
_EXACT = sql.SQL("ts_match_vq({vector}, {query})")
_UNLESS_PLAIN = sql.SQL("(vitrine.is_plain({query}) OR {exact})")
# Of a few rows that are wanted the planner hopes that a walk meets them soon: a word
# that no visible row has took seconds, once around the tenant for each step.
_DEAR = sql.SQL("({} AND vitrine.dear(v.id))")
_FILTERED = sql.SQL("ts_filter({vector}, {letters})")
_CONTAINS = sql.SQL(
    "vitrine.fold({text}) LIKE '%%' || vitrine.literal(vitrine.fold({needle}))"
    " || '%%' ESCAPE '\\'"
)
_STARTS = sql.SQL(
    "vitrine.fold({text}) LIKE vitrine.literal(vitrine.fold({needle}))"
    " || '%%' ESCAPE '\\'"
)
_CODE_STARTS = sql.SQL(
    "vitrine.squash({text}) LIKE vitrine.literal(vitrine.squash({needle}))"
    " || '%%' ESCAPE '\\'"
)


def compiled(
    condition: Condition, scope: Scope, binds: Binds, *, within: Within = "and"
) -> sql.Composable:
    """Compile a condition over the view's row; its values go to ``binds``."""
    match condition:
        case All(parts):
            return _joined(parts, scope, binds, within=within)
        case Any(parts):
            return _either(parts, scope, binds, within=within)
        case Not(part):
            return _NOT.format(compiled(part, scope, binds, within="not"))
        case _:
            return _leaf(condition, scope, binds, within)


def _joined(
    parts: tuple[Condition, ...], scope: Scope, binds: Binds, *, within: Within
) -> sql.Composable:
    if not parts:
        return TRUE
    made = [compiled(p, scope, binds, within=within) for p in parts]
    return _GROUP.format(_AND.join(made))


def _either(
    parts: tuple[Condition, ...], scope: Scope, binds: Binds, *, within: Within
) -> sql.Composable:
    if not parts:
        return FALSE
    ranged = [p for p in parts if isinstance(p, Between) and ranges.aside(p, scope)]
    if within == "and" and len(ranged) == len(parts):
        return ranges.any_between(ranged, scope, binds)
    if within == "and" and scope.way == "sought" and (found := _said(parts, binds)):
        return found
    inner: Within = "or" if within == "and" and len(parts) > 1 else within
    made = [compiled(p, scope, binds, within=inner) for p in parts]
    return _GROUP.format(_OR.join(made))


def _said(parts: tuple[Condition, ...], binds: Binds) -> sql.Composable | None:
    """Part what indexes find of alternatives from what each row is, if texts are meant.

    In one test with it, the index of texts would be asked again for each row that it
    found, since another of the alternatives may hold: 120 µs a row. Alone it is known
    to hold, for want of any function of the moment, and asked of no row.
    """
    leaves = [p for p in parts if isinstance(p, Member | Near)]
    texts = [p for p in leaves if isinstance(p, Member) and fields.said(p, Binds())]
    if len(leaves) < len(parts) or len(parts) < _SEVERAL or not texts:
        return None
    exact = [_exact(leaf, binds) for leaf in leaves]
    found = [_found(leaf, binds) for leaf in leaves]
    sought = [f or e for f, e in zip(found, exact, strict=True)]
    return _AND.join([_GROUP.format(_OR.join(made)) for made in (sought, exact)])


def _leaf(
    leaf: Condition, scope: Scope, binds: Binds, within: Within
) -> sql.Composable:
    match leaf:
        case Text(query):
            # One side of an OR stays a test of the row, for which marks are dear.
            sought = within == "and" and scope.way != "met"
            return text_match(query, scope, binds, sought=sought)
        case Between():
            return ranges.between(leaf, scope, binds, within=within)
        case Contains():
            return _contains(leaf, binds)
        case Linked():
            return links.linked(leaf, scope, binds, within=within)
        case Present(field):
            return fields.present(field)
        case Member() | Near():
            return _held(leaf, binds, indexed=_sought(scope, within))
        case _:
            raise TypeError(leaf)


def _sought(scope: Scope, within: Within) -> bool:
    """Tell whether a test's rows are sought by its index."""
    # No index knows what lacks a value. Beside a text, one side of an OR is a look at
    # the row, too.
    if scope.way == "named":
        return within == "and"
    return scope.way == "sought" and within != "not"


def _held(leaf: Member | Near, binds: Binds, *, indexed: bool) -> sql.Composable:
    exact = _exact(leaf, binds)
    found = _found(leaf, binds) if indexed else None
    if found is None:
        return exact
    # The row's own test first: beside an OR both are asked of each row.
    both = _AND.join([exact, found])
    return by_index(both) if leaf.field.type is FieldType.COLOUR else both


def _exact(leaf: Member | Near, binds: Binds) -> sql.Composable:
    if isinstance(leaf, Near):
        return colours.near(leaf, binds)
    return fields.member(leaf, binds)


def _found(leaf: Member | Near, binds: Binds) -> sql.Composable | None:
    """Find a leaf's rows by an index whose test is dear for a row, if it has one."""
    if isinstance(leaf, Near) or leaf.field.type is FieldType.COLOUR:
        return colours.found(leaf, binds)
    return fields.said(leaf, binds)


def text_match(
    query: str, scope: Scope, binds: Binds, *, sought: bool = False
) -> sql.Composed:
    """Test the row's text strictly against a query in websearch syntax.

    ``sought`` lets an index find the rows that the caller may see.
    """
    asked = wording(query, scope.language)
    made = websearch(binds(asked.text, "text"), scope.language)
    indexed = not any(t.negated for t in asked.terms)
    test = visible if sought else matches
    return test(made, scope, binds, indexed=indexed)


def visible(
    query: sql.Composable, scope: Scope, binds: Binds, *, indexed: bool = True
) -> sql.Composed:
    """Test as `matches` does, by an index of whom a row is for, if there is one."""
    if not scope.scoped:
        return matches(query, scope, binds, indexed=indexed)
    exact: sql.Composed = _EXACT.format(vector=_spoken(scope, binds), query=query)
    if scope.letters is None:
        exact = _UNLESS_PLAIN.format(query=query, exact=exact)
    return _VISIBLE.format(scoped=column("scoped"), query=query, exact=exact)


def matches(
    query: sql.Composable, scope: Scope, binds: Binds, *, indexed: bool = True
) -> sql.Composed:
    """Test the row's vector against a tsquery, in the letters of the profile.

    Where a query holds a negation, a word of a closed letter must not speak.
    """
    vector = column("tsv")
    if scope.letters is None:
        return _MATCH.format(vector=vector, query=query)
    narrow = _MATCH.format(vector=_spoken(scope, binds), query=query)
    if not indexed:
        return narrow
    return _AND.join([_MATCH.format(vector=vector, query=query), narrow])


def _spoken(scope: Scope, binds: Binds) -> sql.Composed:
    """Give the row's vector, without the letters that are closed to the profile."""
    if scope.letters is None:
        return column("tsv")
    letters = sql.SQL('{}::"char"[]').format(binds(list(scope.letters), "text[]"))
    return _FILTERED.format(vector=column("tsv"), letters=letters)


def by_index(test: sql.Composable) -> sql.Composed:
    """Make a test so dear for each row that its index is asked for the rows."""
    return _DEAR.format(test)


def _contains(leaf: Contains, binds: Binds) -> sql.Composable:
    if not storable(leaf.needle):
        return FALSE
    if not fold(leaf.needle):
        return fields.present(leaf.field)
    if leaf.field.type is FieldType.IDENTIFIER:
        template = _CODE_STARTS
    else:
        template = _STARTS if leaf.at_start else _CONTAINS
    needle = binds(leaf.needle, "text")
    return fields.each(leaf.field, lambda e: template.format(text=e, needle=needle))
