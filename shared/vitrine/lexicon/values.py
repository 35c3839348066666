"""Values, labels and flags: the longest match over what the registry knows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from vitrine.lexicon import colours, groups
from vitrine.lexicon.index import SIDE, WHOLE, Entry
from vitrine.lexicon.marks import akin, joining, own
from vitrine.lexicon.senses import Part, Segment, senses
from vitrine.lexicon.sentence import Find, Kind, Sentence
from vitrine.registry.fields import Field
from vitrine.registry.operators import FieldType

GAP = 3
"""Stop words that may stand inside a value ("boucles de l'oreille")."""
EXACT, STEM, SENSE = 4, 3, 1
SHORT, LONG = 12, 60
"""Values of a list that tells much, and of one that tells little."""
_KINDS: dict[str, Kind] = {"value": "value", "label": "label"}


def propose(said: Sentence) -> Iterator[Find]:
    """Yield values, labels and flags wherever they start."""
    for at in range(len(said.found)):
        if _starts(said, at):
            yield from _at(said, at)
    yield from colours.propose(said)


def _starts(said: Sentence, at: int) -> bool:
    """Tell whether a value may start here: at glue only a phrase, or what is big."""
    token = said.found[at]
    if joining(said, at) and len(said.rows[at]) == 1:
        return False  # "not too expensive" may yet be one phrase
    big = token.text.isupper() and len(token.text) > 1
    # "all-weather" begins with what is elsewhere a small word
    whole = len(said.rows[at]) > 1 or own(said, at, "quantifiers")
    return bool(not said.glue(at) or big or whole)


def _at(said: Sentence, at: int) -> Iterator[Find]:
    """Yield, for each stretch of tokens from here, one find with all its options."""
    met: dict[tuple[int, str], list[tuple[int, Entry]]] = {}
    heard = {s for segment in said.rows[at] for s in segment.senses}
    for entry in said.index.about(heard):
        end, rank = match(
            said,
            entry.parts,
            at,
            foreign=_foreign(said, entry),
            commas=entry.weight == WHOLE and "," in str(entry.value),
        )
        if end == at + 1 and joining(said, at):
            continue  # "hors" denies, and is no horse
        if end and _plausible(said, entry, at, end):
            met.setdefault((end, entry.kind), []).append((rank + entry.weight, entry))
    for (end, kind), ranked in met.items():
        yield _find(said, (at, end), _KINDS[kind], ranked)


def _find(
    said: Sentence, span: tuple[int, int], kind: Kind, ranked: list[tuple[int, Entry]]
) -> Find:
    order = {key: place for place, key in enumerate(said.registry.filters)}
    ranked.sort(key=lambda r: (-_adjusted(said, *r), order[r[1].field.key]))
    best: dict[tuple[str, str], tuple[Field, Any]] = {}
    for _, entry in ranked:
        best.setdefault((entry.field.key, str(entry.value)), (entry.field, entry.value))
    options = tuple(best.values())
    flag = kind == "label" and options[0][0].type is FieldType.BOOLEAN
    # a flag that is named in full is meant rather than a value of the same name
    rank = _adjusted(said, *ranked[0]) + (1 if kind == "value" else 2 if flag else 0)
    also = tuple(_sided(ranked)) if kind == "value" else ()
    return Find(*span, "flag" if flag else kind, options, rank=rank, also=also)


def _sided(ranked: list[tuple[int, Entry]]) -> Iterator[tuple[Field, Any]]:
    """Yield the values that hold, as one of their sides, what another is whole."""
    top, best = ranked[0]
    for rank, entry in ranked[1:]:
        beside = entry.weight == SIDE and best.weight in {WHOLE, SIDE}
        beside = beside and "," not in str(entry.value)
        if beside and rank - entry.weight == top - best.weight:
            yield entry.field, entry.value


def _adjusted(said: Sentence, rank: int, entry: Entry) -> int:
    """Put free text below closed lists, and long lists below short ones.

    A short list is the source's own structure; a long one holds many chance words.
    """
    if entry.kind == "label":
        return rank + 2
    if entry.field.type is FieldType.TEXT:
        return rank - 4
    if entry.field.type is FieldType.RELATION:
        return rank + 3  # a role is a link's label or a tag: it finds more than a tag
    listed = len(
        said.registry.sample(entry.field.key).labels or entry.field.choices or ()
    )
    return rank + (2 if listed <= SHORT else -1 if listed > LONG else 0)


def _foreign(said: Sentence, entry: Entry) -> bool:
    """Tell whether a value is written in another language than the message."""
    return entry.kind == "value" and entry.lang not in {"", said.lang}


def match(
    said: Sentence,
    parts: tuple[Part, ...],
    at: int,
    *,
    foreign: bool = False,
    commas: bool = False,
) -> tuple[int, int]:
    """Match parts, in any order, from a token on; give the end (0: none) and rank."""
    left, place, rank = list(parts), at, EXACT
    while left:
        # "Toronto, Ontario" is one value where it is stored with its comma
        over = commas and at < place < len(said.found)
        over = over and said.found[place].folded == ","
        hit = _next(said, left, place + over, at)
        if hit is None:
            return 0, 0
        segment, part = hit
        left.remove(part)
        near = _nearness(said, segment, part, foreign=foreign)
        place, rank = segment.end, min(rank, near)
    return place, rank


def _next(
    said: Sentence, left: list[Part], place: int, at: int
) -> tuple[Segment, Part] | None:
    for skip in range(GAP + 1 if place > at else 1):
        if place + skip >= len(said.rows):
            return None
        segments = reversed(said.rows[place + skip])
        for segment, part in product(segments, left):
            if segment.senses & part.senses:
                return segment, part
        if not _skippable(said, place + skip):
            return None
    return None


def _skippable(said: Sentence, at: int) -> bool:
    token = said.found[at].folded
    return said.glue(at) and not joining(said, at) and token not in {",", ";"}


def _nearness(said: Sentence, segment: Segment, part: Part, *, foreign: bool) -> int:
    shared = segment.senses & part.senses
    if foreign and any(sense.startswith("k:") for sense in shared):
        # a colour that both languages write alike ("rose") is what its own says
        return SENSE
    if f"={part.folded}" in shared or _whole(said, segment) == part.folded:
        return EXACT
    return STEM if f"{said.lang}:" in {s[:3] for s in shared} else SENSE


def _whole(said: Sentence, segment: Segment) -> str:
    return " ".join(said.folded(segment.start, segment.end))


def _plausible(said: Sentence, entry: Entry, at: int, end: int) -> bool:
    """Refuse chance matches: lone letters, numbers, small words written small."""
    if entry.kind == "label" or (end - at > 1 and not entry.field.group):
        return True
    generic = _generic(said, entry, at, end)
    if end - at > 1 or generic:
        return not generic
    token = said.found[at]
    if len(token.folded) == 1 or said.glue(at):
        return bool(token.text == entry.value)
    if entry.weight < WHOLE and akin(said, at, "generic"):
        return False
    if token.folded.isdigit():
        # "34 instead" is about the size that stands
        awaited = entry.field.key in said.corrected | {*said.wanted}
        introduced = awaited or _introduced(said, entry.field, at)
        return introduced or _continued(said, entry.field, at)
    return True


def _generic(said: Sentence, entry: Entry, at: int, end: int) -> bool:
    """Tell a word for a whole kind of thing, which tells none of them apart."""
    if not entry.field.group:
        return False
    meant = {s for s in senses(entry.field.group) if s[:2] == "c:"}
    meant |= groups.also(said, entry.field.group)
    heard = (s.senses for s in said.rows[at] if s.end == end)
    return any(meant & told for told in heard)


def _continued(said: Sentence, field: Field, at: int) -> bool:
    """Tell whether a number goes on with a list that is introduced: "size 28 or 29"."""
    listed = at > 1 and (joining(said, at - 1) or said.found[at - 1].folded == ",")
    if not listed or not said.found[at - 2].folded.isdigit():
        return False
    return _introduced(said, field, at - 2) or _continued(said, field, at - 2)


def _introduced(said: Sentence, field: Field, at: int) -> bool:
    """Tell whether the field is named right before a token ("size 32")."""
    return any(
        match(said, e.parts, start)[0] in range(max(1, at - 1), at + 1)
        for start in range(max(0, at - 4), at)
        for e in said.index.about(s for g in said.rows[start] for s in g.senses)
        if e.kind == "label" and e.field.key == field.key
    )
