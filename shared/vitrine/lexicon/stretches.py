"""The stretches of a sentence that nothing claims and that may be values.

Big letters, figures and quotes tell a value. Small letters do only where nothing
determines them: "for paulistano" names something, "of the match" speaks of one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from vitrine.language.words import words
from vitrine.lexicon.asked import closing, openings
from vitrine.lexicon.fitness import Stretch
from vitrine.lexicon.marks import akin, joining, mark
from vitrine.lexicon.sentence import Find, Sentence
from vitrine.lexicon.shapes import CODED

_INNER = frozenset(
    {",", "and", "of", "the", "de", "et", "in", "for", "on", "at", "&", "'s"}
)


def stretches(said: Sentence) -> Iterator[Stretch]:
    """Yield the stretches of words that nothing claims."""
    yield from (_quoted(said, find) for find in said.finds if find.kind == "quote")
    opened = {at for start, end in openings(said) for at in range(start, end)}
    at = 0
    while at < len(said.found):
        end = at
        while end < len(said.found) and end not in opened and _loose(said, end, at):
            end += 1
        while end > at and _dangling(said, end - 1, at):
            end -= 1
        stretch = _stretch(said, at, end) if end > at else None
        if stretch:
            yield stretch
        at = max(end, at + 1)


def _quoted(said: Sentence, find: Find) -> Stretch:
    cue, _ = _cue(said, find.start)
    return Stretch(find.start, find.end, str(find.what), cue, telling=True)


def _dangling(said: Sentence, at: int, start: int) -> bool:
    token = said.found[at]
    touches = at > start and said.found[at - 1].end == token.start
    return said.glue(at) and not (touches and token.folded not in ",.?;:!")


def _stretch(said: Sentence, start: int, end: int) -> Stretch | None:
    """Give a stretch that may be a value, without the verb that ends it."""
    big = [said.found[at].text[:1].isupper() for at in range(start, end)]
    if start and said.found[start - 1].folded in ".?!" and not said.tabular:
        big[0] = False  # a sentence's first word is big anyway
    figures = any(t.text[:1].isdigit() for t in said.found[start:end])
    if any(big):
        while end > start + 1 and said.found[end - 1].text.islower():
            end -= 1
    cue, bare = _cue(said, start)
    if end < len(said.found) and said.found[end].folded == "'s":
        cue, bare = "'s", True
    telling = any(big) or figures
    if not telling and cue not in _leads(said.lang):
        return None
    if not telling and (not cue or (not bare and end - start == 1)):
        return None
    if any(big) and start == 0 and end - start == 1 and not _answers(said, end):
        telling = False
    text = said.text[said.found[start].start : said.found[end - 1].end]
    return Stretch(start, end, text, cue, telling)


@cache
def _leads(lang: str) -> frozenset[str]:
    """Name the small words that may lead to a value."""
    table: dict[str, list[str]] = words(lang, "questions/cues")
    helpers: list[str] = words(lang, "questions/helpers")
    return frozenset([*helpers, *(cue for cues in table.values() for cue in cues)])


def _answers(said: Sentence, end: int) -> bool:
    """Tell a first word that is the whole answer to a question, and no filler."""
    filler = mark(said, 0, "questions/fillers")
    rest = range(end, len(said.found))
    return bool(said.wanted) and not filler and all(said.glue(at) for at in rest)


def led(said: Sentence, start: int, end: int) -> Stretch:
    """Give a span that a name is beside as a stretch, whatever it looks like."""
    text = said.text[said.found[start].start : said.found[end - 1].end]
    return Stretch(start, end, text, _cue(said, start)[0], telling=True)


def _cue(said: Sentence, start: int) -> tuple[str, bool]:
    """Give the small word before a stretch, and whether nothing determines it."""
    if not start:
        return "", True
    before = said.found[start - 1].folded
    if not mark(said, start - 1, "lexicon/determiner"):
        return (before, True) if said.glue(start - 1) else ("", True)
    return (said.found[start - 2].folded if start > 1 else ""), False


def _loose(said: Sentence, at: int, start: int) -> bool:
    """Tell whether a token is, or goes on, a stretch of loose words."""
    if said.taken(at) or any(m.start <= at < m.end for m in said.names):
        return False
    if mark(said, at, "questions/stops"):
        return False
    if closing(said, at) and not said.glue(at):
        return False
    if said.glue(at) or _contracted(said, at):
        return at > start and _within(said, at)
    generic = akin(said, at, "generic") or mark(said, at, "questions/aggregates")
    return not (generic or joining(said, at))


def _contracted(said: Sentence, at: int) -> bool:
    """Tell a small word with a verb behind its apostrophe: "I'm", "they've"."""
    head, mark_, _ = said.found[at].folded.partition("'")
    return bool(mark_) and head in words(said.lang, "stop")


def _within(said: Sentence, at: int) -> bool:
    """Tell a small word or sign that stands inside a name: "Battle of Hastings"."""
    token, before = said.found[at], said.found[at - 1]
    if at + 1 >= len(said.found):
        return token.folded in ")%" and before.end == token.start
    after = said.found[at + 1]
    if token.folded in _INNER:
        big = after.text[:1].isupper() and before.text[:1].isupper()
        code = after.text.isupper() and 1 < len(after.text) <= CODED
        return big or (token.folded == "," and (after.text[:1].isdigit() or code))
    short = len(before.folded) <= 2  # noqa: PLR2004 - an initial, "St."
    if token.folded == "." and not short:
        return False
    return token.folded not in "?;!:" and not token.folded[:1].isalnum()
