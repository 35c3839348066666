"""Folding: what makes two spellings one word.

The same folding serves the lexicon, the validator and both engines' oracle, so
it must be idempotent and must not depend on the language; stems may.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from vitrine.language.words import languages, words

__all__ = ["Token", "detect", "fold", "squash", "stem", "tokens"]

# Letters that NFKD leaves whole.
_LIGATURES: Final = str.maketrans(
    {"œ": "oe", "æ": "ae", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "ı": "i"}
    | {"ß": "ss", "ς": "σ", "\u0345": "ι"}
    | dict.fromkeys("’‘ʼʹ´`", "'")
    | dict.fromkeys("“”„«»", '"')
    | dict.fromkeys("‐‑‒–—―−", "-")
    | {"⁄": "/", "\u200b": "", "\u00ad": "", "\ufeff": "", "×": "x"}
)
# Only Latin, Greek and Cyrillic accents go: a Japanese voicing mark or an
# Indic vowel sign is part of the word.
_ACCENTS: Final = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff]")
_SPACES: Final = re.compile(r"\s+")
# Signs and pictures; listed, since no two engines agree on what a letter is.
_SIGNS: Final = re.compile(
    "[\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\xa9\xab-\xb4\xb6-\xb9\xbb-\xbf\xd7\xf7"
    "\u2000-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020\u3030\u303d-\u303f"
    "\ufe00-\ufe6f\ufff0-\uffff\U0001f000-\U0001faff]"
)
_PLAIN: Final = re.compile(r"[a-z0-9]+(?:[ '-][a-z0-9]+)*")

_TOKEN: Final = re.compile(
    r"""
      \d+['’′]\d+["”″]?                                # 5'3"
    | [0-9]+(?:[./:-][0-9A-Za-z]+)+ | \d+(?:[.,'’]\d+)+ # dates, codes, grouped
    | (?:qu|jusqu|lorsqu|puisqu|quoiqu|presqu|[ldjmtsncLDJMTSNC]|Qu|Jusqu)
      ['’](?=\s?\w|$)                                   # French elision
    | ['’]s\b                                          # English possessive
    | \w+(?:['’](?!s\b)\w+)*                           # words, don't, 12th
    | [<>!=]=|°[CF]\b|[^\w\s]                          # signs, one by one
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """One word or sign, its folded form and its place in the text."""

    text: str
    folded: str
    start: int
    end: int


def fold(text: str) -> str:
    """Fold case, accents, ligatures, quotes, dashes and spaces away."""
    if _PLAIN.fullmatch(text):
        return text
    # Not casefold(), which databases lack: it differs in Cherokee and old Cyrillic.
    text = unicodedata.normalize("NFKD", text).lower()
    text = unicodedata.normalize("NFKD", text).translate(_LIGATURES)
    text = _SPACES.sub(" ", _ACCENTS.sub("", text)).strip()
    return unicodedata.normalize("NFC", text)


def tokens(text: str) -> tuple[Token, ...]:
    """Cut a text into words, numbers and signs; hyphens only join words."""
    found = _TOKEN.finditer(text)
    return tuple(
        Token(m[0], fold(m[0]) or m[0], m.start(), m.end())
        for m in found
        if not _joins(text, m)
    )


def _joins(text: str, match: re.Match[str]) -> bool:
    """Tell a hyphen inside a word, which parts it, from one that stands alone."""
    if match[0].isalnum() or fold(match[0]) not in {"-", "_"}:
        return False
    before, after = text[: match.start()], text[match.end() :]
    return bool(before[-1:].isalnum() and after[:1].isalnum())


@lru_cache(maxsize=8192)
def stem(word: str, lang: str) -> str:
    """Reduce a word to the part that number and gender leave alone.

    The steps stand in the data file; a stem keeps at least its ``shortest``
    letters, so that short words stay apart.
    """
    folded = fold(word)
    irregular: dict[str, str] = words(lang, "stem/irregular")
    folded = irregular.get(folded, folded)
    if irregular.get(folded) == folded:  # listed as itself: kept whole
        return folded
    for rules in words(lang, "stem/steps"):
        folded = _trim(folded, rules, words(lang, "stem/shortest"))
    return folded


def _trim(word: str, rules: list[list[str]], shortest: int) -> str:
    for ending, instead in rules:
        if word.endswith(ending):
            trimmed = word[: len(word) - len(ending)] + instead
            return trimmed if len(trimmed) >= shortest else word
    return word


def squash(code: str) -> str:
    """Reduce an identifier to its letters and digits, folded."""
    return _SIGNS.sub("", fold(code))


def detect(text: str) -> str:
    """Guess the language of a text from its function words and accents."""
    folded = [token.folded for token in tokens(text)]
    scores = {lang: _score(text, folded, lang) for lang in languages()}
    return max(scores, key=lambda lang: scores[lang])


def _score(text: str, folded: list[str], lang: str) -> int:
    telltale = _telltale(lang)
    accents = sum(sign in words(lang, "accents") for sign in text.lower())
    return sum(word in telltale for word in folded) + accents


@lru_cache(maxsize=16)
def _telltale(lang: str) -> frozenset[str]:
    return frozenset(fold(word) for word in words(lang, "telltale"))
