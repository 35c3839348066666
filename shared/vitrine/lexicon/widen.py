"""Names that go on beyond what was seen of them: "Las Vegas" where "Vegas" was.

The samples of an open field hold some ways to write a place. A big word that touches
one belongs to it, and so does the code of a state behind a comma: "Fresno, CA".
"""

from __future__ import annotations

from dataclasses import replace

from vitrine.lexicon.bound import opened
from vitrine.lexicon.marks import joint, mark
from vitrine.lexicon.sentence import Find, Sentence
from vitrine.lexicon.shapes import CODED
from vitrine.lexicon.values import SHORT
from vitrine.registry.fields import Field


def widen(said: Sentence) -> None:
    """Let the values of open fields reach over the big words that touch them."""
    for find in [f for f in said.finds if f.kind == "value" and f.what is None]:
        field = find.field
        if field is None or not opened(field) or not _big(said, find.start):
            continue
        start, end = _start(said, find.start), _end(said, find.end)
        if (start, end) == (find.start, find.end):
            continue
        told = said.text[said.found[start].start : said.found[end - 1].end]
        once = {field.key: field for field, _ in find.options}
        options = tuple((field, told) for field in once.values())
        said.finds.remove(find)
        said.settle([replace(find, start=start, end=end, options=options, also=())])


def extend(said: Sentence) -> None:
    """Let a list go on with names that no sample has: "Puma or Nike".

    Only a long list has values that were not seen; a short one is known whole.
    """
    for find in [f for f in said.finds if f.kind == "value" and f.what is None]:
        field, at = find.field, find.end + 1
        if field is None or not opened(field) or not _long(said, field):
            continue
        if not _big(said, find.start):
            continue
        before = find.start - 2
        if at < len(said.found) and joint(said, find.end, "or") and _goes(said, at):
            _listed(said, (at, _end(said, at)), field)
        elif before > 0 and joint(said, before + 1, "or") and _goes(said, before):
            _listed(said, (_start(said, before), before + 1), field)


def _listed(said: Sentence, span: tuple[int, int], field: Field) -> None:
    told = said.text[said.found[span[0]].start : said.found[span[1] - 1].end]
    said.settle([Find(*span, "value", ((field, told),))])


def _long(said: Sentence, field: Field) -> bool:
    return len(said.registry.sample(field.key).labels) > SHORT


def _start(said: Sentence, at: int) -> int:
    while at and _goes(said, at - 1) and not _begins(said, at - 1):
        at -= 1
    return at


def _begins(said: Sentence, at: int) -> bool:
    """Tell a sentence's first word, which is big anyway, or a word that leads in."""
    return not at or said.found[at - 1].folded in ".?!" or _leads(said, at)


def _leads(said: Sentence, at: int) -> bool:
    return bool(mark(said, at, "questions/fillers"))


def _end(said: Sentence, at: int) -> int:
    while at < len(said.found) and _goes(said, at):
        at += 1
    if at + 1 < len(said.found) and said.found[at].folded == ",":
        code = said.found[at + 1].text
        if code.isupper() and 1 < len(code) <= CODED and said.free(at, at + 2):
            return at + 2
    return at


def _goes(said: Sentence, at: int) -> bool:
    return _big(said, at) and not said.glue(at) and said.free(at, at + 1)


def _big(said: Sentence, at: int) -> bool:
    return said.found[at].text[:1].isupper()
