"""Conditions → ``filter_by``, of codes and whole numbers alone.

``&&`` and ``||`` bind alike in every version, so each group is parenthesised; there
is no negation of a group, so it is pushed to the leaves (De Morgan). A leaf that
always or never holds is folded away. The guard stands first.
"""

from __future__ import annotations

from collections.abc import Iterable

from vitrine.language.folding import fold, squash
from vitrine.language.words import FALLBACK
from vitrine.problems import Fault, Invalid
from vitrine.registry.fields import Field
from vitrine.registry.operators import IDENTIFIER_PREFIX, FieldType
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
)
from vitrine.typesense import integers, names
from vitrine.typesense.grammar import checked
from vitrine.typesense.shadows import CODED, IDENTIFIER_LONGEST, rgb
from vitrine.typesense.texts import HELD, worded
from vitrine.typesense.wording import Wording

Piece = str | bool
"""A part of a filter, or whether it always or never holds."""


def filter_by(
    condition: Condition,
    guard: str,
    *,
    language: str | Wording = FALLBACK,
    holding: Iterable[str] = (),
    without: Iterable[str] = (),
) -> str | None:
    """Give the filter to send, None where nothing can match.

    ``guard`` is the code that every document of this caller's collection carries;
    ``holding`` are stems that a document must hold, ``without`` must not; ``language``
    is the one in which texts are stemmed, or all of a source's wording.
    Raise ``Invalid`` for what the server can't run exactly, or not at once.
    """
    denied = _among(names.WORDS, map(names.digest, without), negated=True)
    pieces = [compiled(worded(condition, language)), _holding(holding), denied]
    if False in pieces:
        return None
    first = f"{names.GUARD}:=[`{guard}`]"
    return checked(" && ".join([first, *(p for p in pieces if isinstance(p, str))]))


def held(stems: Iterable[str]) -> str:
    """Give a filter for all of the stems, to order by."""
    return checked(str(_holding(stems)))


def any_of(stems: Iterable[str]) -> str:
    """Give a filter for any of the stems or marks, to order by."""
    return checked(str(_among(names.WORDS, map(names.digest, stems), negated=False)))


def _holding(stems: Iterable[str]) -> Piece:
    wanted = (_among(names.WORDS, [names.digest(s)], negated=False) for s in stems)
    return _group([p for p in wanted if isinstance(p, str)], every=True)


def compiled(condition: Condition, *, negated: bool = False) -> Piece:
    """Compile a condition, or its complement."""
    match condition:
        case All(parts) | Any(parts):
            every = isinstance(condition, All) != negated
            return _joined(_merged(parts, condition), every=every, negated=negated)
        case Not(part):
            return compiled(part, negated=not negated)
        case Member(field, values):
            return _member(field, values, negated=negated)
        case Between():
            return _between(condition, negated=negated)
        case Present(field):
            return f"{names.has(field)}:={_said(not negated)}"
        case _:
            return _special(condition, negated=negated)


def _special(condition: Condition, *, negated: bool) -> Piece:
    match condition:
        case Contains(field, needle, True) if field.type is FieldType.IDENTIFIER:
            return _beginning(field, needle, negated=negated)
        case Near():
            return _near(condition, negated=negated)
        case Contains(field) | Linked(field):
            raise _cannot(field.key)
        case _:
            raise AssertionError(condition)


def _cannot(what: str) -> Invalid:
    message = f"This source can't test {what!r} in this way exactly."
    return Invalid([Fault("", "unsupported", message, "Use another operator.")])


def _joined(parts: Iterable[Condition], *, every: bool, negated: bool) -> Piece:
    pieces: dict[str, None] = {}
    for part in parts:
        piece = compiled(part, negated=negated)
        if isinstance(piece, bool):
            # One part that never holds decides an AND, one that always does an OR; the
            # other way round it says nothing.
            if piece is not every:
                return piece
            continue
        pieces[piece] = None
    return _group(list(pieces), every=every)


def _group(pieces: list[str], *, every: bool) -> Piece:
    if len(pieces) < 2:  # noqa: PLR2004 - a group of one needs no parentheses
        return pieces[0] if pieces else every
    return f"({(' && ' if every else ' || ').join(pieces)})"


def _merged(parts: Iterable[Condition], group: Condition) -> list[Condition]:
    """Make one list of the members that one field is tested for, to save terms.

    Any(a, b) on a field is one Member; so is All(Not a, Not b) under one Not.
    """
    alike = isinstance(group, Any)
    gathered: dict[tuple[str, FieldType], Member] = {}
    others: list[Condition] = []
    for part in parts:
        inner = part if alike else part.part if isinstance(part, Not) else None
        if not isinstance(inner, Member):
            others.append(part)
            continue
        place = inner.field.key, inner.field.type
        known = gathered.get(place)
        values = (*known.values, *inner.values) if known else inner.values
        gathered[place] = Member(inner.field, values)
    ours = gathered.values()
    return [*others, *(ours if alike else (Not(m) for m in ours))]


def _member(field: Field, values: Iterable[object], *, negated: bool) -> Piece:
    if field.type is FieldType.BOOLEAN:
        return _boolean(field, set(values), negated=negated)
    if field.type in integers.ORDERED:
        return _numbers(field, values, negated=negated)
    if field is HELD:
        return _among(names.WORDS, map(names.digest, map(str, values)), negated=negated)
    if field.type in CODED:
        codes = [code_of(field, str(v)) for v in values]
        return _among(names.code_of(field), codes, negated=negated)
    if field.type is FieldType.TEXT:
        codes = [names.digest(fold(str(v))) for v in values]
    elif field.type is FieldType.IDENTIFIER:
        codes = [names.digest(squash(str(v))) for v in values]
    else:
        raise _cannot(field.key)
    return _among(names.exact(field), codes, negated=negated)


def code_of(field: Field, value: str) -> str | None:
    """Give the code to look for: a vocabulary's ids are its codes already."""
    if field.type is not FieldType.VOCABULARY:
        return names.choice_code(field.choices, value)
    known = {c.code for c in field.choices or ()}
    return value if value in known else None


def _among(name: str, codes: Iterable[str | None], *, negated: bool) -> Piece:
    """Test for one of the codes; ``!=`` also keeps documents without the field."""
    known = dict.fromkeys(f"`{c}`" for c in codes if c)
    if not known:
        return negated
    return f"{name}:{'!=' if negated else '='}[{','.join(known)}]"


def _boolean(field: Field, values: set[object], *, negated: bool) -> Piece:
    wanted = [v for v in (True, False) if v in values]
    if len(wanted) != 1:
        present = f"{names.has(field)}:={_said(not negated)}"
        return present if wanted else negated
    return f"{names.truth(field)}:{'!=' if negated else '='}{_said(wanted[0])}"


def _said(value: bool) -> str:
    return "true" if value else "false"


def _numbers(field: Field, values: Iterable[object], *, negated: bool) -> Piece:
    found = sorted({w for v in values if (w := integers.member(field, v)) is not None})
    if not found:
        return negated
    if field.multi:
        codes = [integers.prefixes(w)[-1] for w in found]
        return _among(names.trie(field), codes, negated=negated)
    if negated:
        return _outside(field, [(w, w) for w in found])
    return f"{names.integer(field)}:[{','.join(map(str, found))}]"


def _between(test: Between, *, negated: bool) -> Piece:
    field = test.field
    low, high = integers.span(
        field,
        test.low,
        test.high,
        low_open=test.low_open,
        high_open=test.high_open,
    )
    if low > high:
        return negated
    if (low, high) == (integers.SMALLEST, integers.LARGEST):
        return f"{names.has(field)}:={_said(not negated)}"
    if field.multi:
        return _among(names.trie(field), integers.cover(low, high), negated=negated)
    return _outside(field, [(low, high)]) if negated else _inside(field, low, high)


def _inside(field: Field, low: int, high: int) -> str:
    if low == integers.SMALLEST:
        return f"{names.integer(field)}:<={high}"
    if high == integers.LARGEST:
        return f"{names.integer(field)}:>={low}"
    return f"{names.integer(field)}:[{low}..{high}]"


def _outside(field: Field, spans: list[tuple[int, int]]) -> Piece:
    """Test for a number outside of ascending spans, or none at all."""
    gaps: list[str] = []
    first = integers.SMALLEST
    for low, high in spans:
        if first < low:
            gaps.append(f"{first}..{low - 1}")
        first = high + 1
    if first <= integers.LARGEST:
        gaps.append(f"{first}..{integers.LARGEST}")
    pieces = [f"{names.integer(field)}:[{','.join(gaps)}]"] if gaps else []
    return _group([*pieces, f"{names.has(field)}:=false"], every=False)


def _beginning(field: Field, needle: str, *, negated: bool) -> Piece:
    squashed = squash(needle)
    if len(squashed) < IDENTIFIER_PREFIX:
        raise _cannot(field.key)
    # A longer one is the beginning of no identifier that is stored.
    code = names.digest(squashed) if len(squashed) <= IDENTIFIER_LONGEST else None
    return _among(names.start(field), [code], negated=negated)


def _near(test: Near, *, negated: bool) -> Piece:
    """Test for a box of colours: by the closed list, else by three ranges."""
    field, centre = test.field, rgb(test.colour)
    if field.choices is not None:
        close = [c.value for c in field.choices if _inside_box(c.value, test)]
        return _member(field, close, negated=negated)
    if field.multi:
        raise _cannot(field.key)
    sides = [
        _side(name, middle, int(test.tolerance), negated=negated)
        for name, middle in zip(names.channels(field), centre, strict=True)
    ]
    # The server's ranges skip a document without the field; the complement has it.
    missing = [f"{names.has(field)}:=false"] if negated else []
    return _group([*(s for s in sides if s), *missing], every=not negated)


def _inside_box(value: str, test: Near) -> bool:
    pairs = zip(rgb(value), rgb(test.colour), strict=True)
    return all(abs(a - b) <= test.tolerance for a, b in pairs)


def _side(name: str, middle: int, reach: int, *, negated: bool) -> str:
    low, high = middle - reach, middle + reach
    return f"{name}:[<{low},>{high}]" if negated else f"{name}:[{low}..{high}]"
