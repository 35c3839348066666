"""Colours: a box around one, found by the cells of colour space that it touches.

A colour lies in three cells: cubes of 16, 32 and 64 of a channel's 256 steps, which
`vitrine.cells` keeps of a column with many values. A box asks for those of the finest
size of which it touches at most ``KEYS``; the row decides. Measured on 400,000 rows
with two or three colours each: the index gives the rows of 64 cells in 40 ms, while
the same comparison in each row takes 5 µs, and 2 s.
"""

from __future__ import annotations

from itertools import product
from math import prod

from psycopg import sql

from vitrine.postgres import fields
from vitrine.postgres.binds import Binds
from vitrine.postgres.scope import column, meta_key
from vitrine.tree.conditions import Member, Near

KEYS = 64
"""Cells that a box asks for at most; one that touches all of the coarse asks none."""
WIDEST = 64
"""Tolerance from which a single value's fine cells, 729 and more, narrow nothing."""
_SIZES = ((1, ""), (2, "m"), (4, "w"))
"""Cells by their width, in sixteen steps, and the mark that `vitrine.cells` gives."""
_DIGITS = "0123456789abcdef"

# A function, since of an operator the planner would guess from the pattern's letters
# that hardly any row matches, and sort all rows rather than walk to the first ten.
_ONE_OF_MANY = sql.SQL("regexp_like(lower({}::text), {})")
_ONE = sql.SQL("regexp_like(lower({}), {})")
_CELLS = sql.SQL("{} && {}")
_CELL = sql.SQL("vitrine.cell({}) = ANY({})")


def near(leaf: Near, binds: Binds) -> sql.Composable:
    """Test a box around a colour in the row itself."""
    field = leaf.field
    if meta_key(field) is None and field.multi:
        # The array as text is one string to match: unnesting it takes longer.
        pattern = binds(f"[{{,]#{_pattern(leaf)}", "text")
        return _ONE_OF_MANY.format(column(field.place), pattern)
    pattern = binds(f"^#{_pattern(leaf)}", "text")
    return fields.each(field, lambda e: _ONE.format(e, pattern))


def found(leaf: Near | Member, binds: Binds) -> sql.Composable | None:
    """Find the rows by the cells of their colours, None where no index could."""
    field, keys = leaf.field, _keys(leaf)
    if meta_key(field) is not None or not keys:
        return None
    array = binds(keys, "text[]")
    if field.multi:
        return _CELLS.format(column(f"{field.place}_cells"), array)
    return _CELL.format(column(field.place), array)


def _keys(leaf: Near | Member) -> list[str] | None:
    if isinstance(leaf, Member):
        return sorted({cell(str(value).lower()) for value in leaf.values})
    if leaf.field.multi:
        return cells(leaf)
    return _fine(leaf) if leaf.tolerance <= WIDEST else None


def cell(colour: str) -> str:
    """Name the fine cell of a colour, as `vitrine.cell` does."""
    return colour[1:2] + colour[3:4] + colour[5:6]


def cells(leaf: Near) -> list[str] | None:
    """List the cells that the box touches, None where these are all there are."""
    for width, mark in _SIZES:
        spans = [_span(low, high, width) for low, high in _box(leaf)]
        if (number := prod(map(len, spans))) <= KEYS:
            whole = width == _SIZES[-1][0] and number == KEYS
            return None if whole else [mark + "".join(k) for k in product(*spans)]
    return None


def _fine(leaf: Near) -> list[str]:
    spans = (_span(low, high, 1) for low, high in _box(leaf))
    return ["".join(key) for key in product(*spans)]


def _span(low: int, high: int, width: int) -> str:
    """Give the first digits of the cells between two steps of a channel."""
    first = (low >> 4) // width * width
    return _DIGITS[first : (high >> 4) + 1 : width]


def _box(leaf: Near) -> list[tuple[int, int]]:
    """Give the least and the most of each channel."""
    values = [int(leaf.colour[start : start + 2], 16) for start in (1, 3, 5)]
    reach = int(leaf.tolerance)
    return [(max(0, v - reach), min(255, v + reach)) for v in values]


def _pattern(leaf: Near) -> str:
    """Write the box as a regular expression over six hexadecimal digits."""
    return "".join(_between(low, high) for low, high in _box(leaf))


def _between(low: int, high: int) -> str:
    """Match two digits from ``low`` to ``high``."""
    (first, least), (last, most) = divmod(low, 16), divmod(high, 16)
    if first == last:
        return f"{_DIGITS[first]}[{_DIGITS[least : most + 1]}]"
    parts = [f"{_DIGITS[first]}[{_DIGITS[least:]}]"]
    if last - first > 1:
        parts.append(f"[{_DIGITS[first + 1 : last]}].")
    parts.append(f"{_DIGITS[last]}[{_DIGITS[: most + 1]}]")
    return f"(?:{'|'.join(parts)})"
