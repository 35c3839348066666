"""The words of a text, cut by us on both sides so that index and query agree.

Elided articles go (``l'écran`` is ``ecran``), hyphens, slashes and points part.
A word longer than the server's 100 bytes is replaced by its code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from vitrine.language.folding import fold, tokens
from vitrine.language.words import languages
from vitrine.language.words import words as listed
from vitrine.problems import Fault, Invalid
from vitrine.typesense.names import digest

LONGEST = 100
MOST = 30
"""Most words of one query."""
_SHORT = 3
_RUNS = re.compile(r"[^\W_]+")
_TERM = re.compile(r'(?P<minus>(?<!\S)-)?(?:"(?P<phrase>[^"]*)"|(?P<plain>\S+))')
_ELIDED = ("'", "’")


@dataclass(frozen=True, slots=True)
class Terms:
    """A query's words: all of one of ``either``, and none of ``without``.

    ``phrase`` tells that quotes asked for an order which is not looked at.
    """

    either: tuple[tuple[str, ...], ...]
    without: tuple[str, ...] = ()
    phrase: bool = False

    @property
    def wanted(self) -> tuple[str, ...]:
        """Give the words of a query without "or"."""
        return self.either[0]


@lru_cache(maxsize=8_192)  # labels and names come back in every record
def words(text: str) -> tuple[str, ...]:
    """Cut a text into folded words."""
    elided = any(sign in text for sign in _ELIDED)
    whole = _unelided(text) if elided else text
    return tuple(_bounded(run) for run in _RUNS.findall(fold(whole)))


def _unelided(text: str) -> str:
    """Blank elided articles and pronouns."""
    for token in reversed(tokens(text)):
        if token.text.endswith(_ELIDED):
            text = f"{text[: token.start]} {text[token.end :]}"
    return text


def _bounded(word: str) -> str:
    return word if len(word.encode()) <= LONGEST else digest(word)


def terms(query: str, stop: frozenset[str] = frozenset()) -> Terms:
    """Read websearch syntax; raise ``Invalid`` where no wanted word is left.

    A ``-`` denies only at the start of a term: hyphenated codes are literal. "or"
    parts alternatives. Function words and a source's own stopwords go, unless there
    is nothing else.
    """
    either: list[list[str]] = [[]]
    without: list[str] = []
    phrase = False
    for match in _TERM.finditer(query):
        found = words(match["phrase"] or match["plain"] or "")
        phrase = phrase or (match["phrase"] is not None and len(found) > 1)
        if match["plain"] and not match["minus"] and _parts(found):
            either.append([])
        else:
            (without if match["minus"] else either[-1]).extend(found)
    groups = tuple(tuple(dict.fromkeys(telling(g, stop))) for g in either if g)
    if not groups:
        raise _refusal("text-empty", "The text has no word to look for.")
    if sum(map(len, groups)) + len(without) > MOST:
        raise _refusal("text-long", f"The text has more than {MOST} words.")
    return Terms(groups, tuple(dict.fromkeys(without)), phrase)


def telling(group: Iterable[str], stop: frozenset[str] = frozenset()) -> list[str]:
    """Keep the words that tell something; all of them where none does."""
    said = list(group)
    silent = _function_words()
    return [w for w in said if w not in silent and w not in stop] or said


def _parts(found: tuple[str, ...]) -> bool:
    return len(found) == 1 and found[0] in _joints()


@cache
def _function_words() -> frozenset[str]:
    """Gather those of every language: a catalogue is searched in all of them."""
    said = (word for lang in languages() for word in listed(lang, "stop"))
    return frozenset(run for word in said for run in words(word))


@cache
def _joints() -> frozenset[str]:
    """Give the short words for "or"; longer ones are conjunctions of sentences."""
    said = (word for lang in languages() for word in listed(lang, "conjunctions/or"))
    return frozenset(word for word in said if word.isalpha() and len(word) <= _SHORT)


def _refusal(code: str, message: str) -> Invalid:
    remedy = "Name what is looked for in a few words."
    return Invalid([Fault("", code, message, remedy)])


def nearest(word: str, candidates: dict[str, int], distance: int) -> str | None:
    """Give the candidate within an edit distance, nearest, then most frequent."""
    ranked = sorted(
        (gap, -count, other)
        for other, count in candidates.items()
        if (gap := edits(word, other, distance)) <= distance
    )
    return ranked[0][2] if ranked else None


def edits(one: str, other: str, limit: int) -> int:
    """Count insertions, deletions, substitutions and swaps, up to ``limit`` + 1.

    Optimal string alignment (Damerau 1964).
    """
    if abs(len(one) - len(other)) > limit:
        return limit + 1
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            best = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a != b))
            swapped = i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b
            row.append(min(best, before[j - 2] + 1) if swapped else best)
        before, last = last, row
    return last[-1]


def folded(text: str) -> str:
    """Give the code of a whole text, case and accents folded."""
    return digest(fold(text))
