"""What a value looks like: a date, a score, a code, words; and how alike two look.

Values of one column are written alike, so a few samples tell which column an unknown
value belongs to: "15–12–4" is a record where the records seen are "28–16–8".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import groupby

from vitrine.language.folding import fold, tokens
from vitrine.language.phrases import is_stop, phrases
from vitrine.language.words import languages, words

WORD, NUMBER, CODE, MONTH, SCORE = "word", "number", "code", "month", "score"
CODED = 5
"""Letters of a code in capitals: an airport's, a ticker's."""
PLAIN = 0.4
"""What it tells that two texts are words alike: nearly every text is."""
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_SCORE = re.compile(r"\d+(?:[-–/:]\d+)+")
_YEAR = re.compile(r"[12]\d{3}")
_CODE = re.compile(r"(?=.*\d)(?=.*[a-z]).+")


@lru_cache(maxsize=4096)
def shape(text: str) -> tuple[str, ...]:
    """Give the classes of a text's tokens, words that follow each other as one."""
    classes = (_kind(token.folded) for token in tokens(text))
    return tuple(kind for kind, _ in groupby(classes))


def _kind(word: str) -> str:
    if _NUMBER.fullmatch(word):
        return NUMBER
    if _SCORE.fullmatch(word):
        return SCORE
    if word in _months():
        return MONTH
    if not word[:1].isalnum():
        return "-" if word in {"-", "–"} else word
    return CODE if _CODE.fullmatch(word) else WORD


@lru_cache(maxsize=1)
def _months() -> frozenset[str]:
    return frozenset(
        fold(name)
        for lang in languages()
        for names in words(lang, "calendar/months").values()
        for name in names
    )


def likeness(text: str, samples: Iterable[str]) -> float:
    """Tell how much a text looks like samples: 1 the same way, -1 not at all."""
    return max((_alike(text, sample) for sample in samples), default=0.0)


def _alike(text: str, sample: str) -> float:
    (one, content, size), (other, further, length) = _form(text), _form(sample)
    shared = 0.4 * bool(content & further)
    close = abs(size - length) <= 1
    if one == other == (WORD,):
        return (PLAIN if close else PLAIN / 2) + shared
    if one == other:
        return (1.0 if close else 0.7) + shared
    both = (Counter(one) & Counter(other)).total()
    return both / max(len(one), len(other)) - 0.5 + shared if both else -1.0


def looks(text: str, lang: str) -> set[str]:
    """Name the kinds of thing that a text may be by its form alone."""
    form, folded = shape(fold(text)), fold(text)
    if MONTH in form:
        return {"day"}
    if SCORE in form or {NUMBER, "-"} <= set(form) <= {NUMBER, "-", "(", ")"}:
        return {"score"}
    if place(folded, lang):
        return {"country"}
    return _written(text) or _named(folded, form)


def _written(text: str) -> set[str]:
    """Tell years and codes by their signs."""
    if _YEAR.fullmatch(text):
        return {"year"}
    return {"code"} if text.isupper() and 1 < len(text) <= CODED else set()


def _named(folded: str, form: tuple[str, ...]) -> set[str]:
    """Tell people from groups: two or three words, and a plural at the end."""
    if form != (WORD,) or not 2 <= len(folded.split()) <= 3:  # noqa: PLR2004 - words of a name
        return set()
    return {"group"} if folded.endswith("s") else {"person"}


def place(folded: str, lang: str) -> bool:
    """Tell whether a text is a country, by name or people."""
    found = tokens(folded)
    span = phrases(lang, "countries").at(found, 0) if found else None
    return span is not None and span.end == len(found)


@lru_cache(maxsize=16384)
def _form(text: str) -> tuple[tuple[str, ...], frozenset[str], int]:
    """Give a text's shape, its content words and its size, all of them kept."""
    return shape(fold(text)), _content(text), len(tokens(text))


def _content(text: str) -> frozenset[str]:
    return frozenset(
        t.folded
        for t in tokens(text)
        if t.folded.isalpha() and not any(is_stop(t, lang) for lang in languages())
    )
