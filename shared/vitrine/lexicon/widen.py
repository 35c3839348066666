"""Names that go on beyond what was seen of them: "Las Vegas" where "Vegas" was.

The samples of an open field hold some ways to write a place. A big word that touches
one belongs to it, and so does the code of a state behind a comma: "Fresno, CA".
"""

from __future__ import annotations

from dataclasses import replace

from vitrine.lexicon.bound import opened
from vitrine.lexicon.marks import mark
from vitrine.lexicon.sentence import Sentence
from vitrine.lexicon.shapes import CODED


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
