"""A query in websearch syntax, with the traps of `websearch_to_tsquery` closed.

PostgreSQL knows "or" but no "ou"; it requires French words that its list of stop
words lacks ("les", "à"); it reads punctuation in a code as operators. Words keep
their order, nothing else is dropped, and nothing here raises.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from psycopg import sql

from vitrine.language.folding import fold
from vitrine.language.words import language, words
from vitrine.postgres.binds import Binds

SENTENCE = 4
"""Words that tell something from which a text is a sentence, not a list of demands."""
HALF = 4
"""Up to so many, half of a sentence's words must be there: one of four says nothing."""
SHORTEST_PREFIX = 3
"""Letters: one or two cost 23–51 ms and say nothing."""
CORRECTABLE = (4, 40)
"""Letters of a word worth correcting; levenshtein() takes 255 bytes at most."""
_SHORT_STOP = 3
_TOKEN = re.compile(r'(?P<minus>-?)"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+)')
_AROUND = ",.;:!?…()[]{}«»“”‘’'"
"""What a sentence puts beside a word."""
_UNSAFE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Term:
    """One word, phrase or code of a query; ``joint`` is the word "or"."""

    text: str
    quoted: bool = False
    negated: bool = False
    joint: bool = False

    @property
    def positive(self) -> bool:
        """Tell whether a row is wanted that has the term."""
        return not (self.negated or self.joint)

    @property
    def written(self) -> str:
        """Write the term in websearch syntax."""
        if self.joint:
            return "or"
        sign = "-" if self.negated else ""
        quote = '"' if self.quoted else ""
        return f"{sign}{quote}{self.text}{quote}"

    @property
    def correctable(self) -> str | None:
        """Give the folded word where a typo in it may be corrected."""
        least, most = CORRECTABLE
        plain = self.text.isalpha() and not (self.quoted or self.negated or self.joint)
        return fold(self.text) if plain and least <= len(self.text) <= most else None


@dataclass(frozen=True, slots=True)
class Wording:
    """A query's terms, in order; ``telling`` counts the distinct ones that say what."""

    terms: tuple[Term, ...]
    telling: int = 0

    @property
    def text(self) -> str:
        """Write the query in websearch syntax."""
        return " ".join(t.written for t in self.terms)

    @property
    def wanted(self) -> tuple[Term, ...]:
        """Give the words, phrases and codes that a row should have."""
        return tuple(t for t in self.terms if t.positive)

    @property
    def denied(self) -> str:
        """Write what a row must not have in websearch syntax."""
        return " ".join(t.written for t in self.terms if t.negated)

    @property
    def is_sentence(self) -> bool:
        """Tell a sentence, of which a good answer may lack some words."""
        return self.telling >= SENTENCE

    @property
    def by_half(self) -> bool:
        """Tell a sentence so short that half of its words must be there."""
        return self.telling <= HALF

    @property
    def prefixes(self) -> tuple[str, ...] | None:
        """Give the words as prefixes; None where the query is more than words."""
        plain = all(
            t.text.isalnum() and not (t.quoted or t.negated or t.joint)
            for t in self.terms
        )
        long = any(len(t.text) >= SHORTEST_PREFIX for t in self.terms)
        return tuple(t.text for t in self.terms) if plain and long else None


def wording(query: str, lang: str) -> Wording:
    """Read a query; strange signs are spaces, codes and hyphened words literal."""
    found = (_term(m, lang) for m in _TOKEN.finditer(_UNSAFE.sub(" ", query)))
    terms = [t for t in found if t and (t.joint or t.quoted or not _stops(t, lang))]
    while terms and terms[0].joint:
        terms.pop(0)
    told = {fold(t.text) for t in terms if t.positive} - _stop_words(lang)
    return Wording(tuple(terms), len(told))


def _term(match: re.Match[str], lang: str) -> Term | None:
    if match["word"] is None:
        return _literal(match["phrase"], negated=bool(match["minus"]))
    word = match["word"]
    if word.lower() in _joints(lang):
        return Term("", joint=True)
    negated = word.startswith("-")
    bare = word.lstrip("-")
    plain = bare.strip(_AROUND)
    if plain.isalnum():
        return Term(plain, negated=negated)
    return _literal(bare, negated=negated)


def _literal(text: str, *, negated: bool) -> Term | None:
    if not any(c.isalnum() for c in text):
        return None
    return Term(text, quoted=True, negated=negated)


def _stops(term: Term, lang: str) -> bool:
    """Tell a function word; PostgreSQL knows the longer ones itself."""
    return len(term.text) <= _SHORT_STOP and fold(term.text) in _stop_words(lang)


@cache
def _stop_words(lang: str) -> frozenset[str]:
    return frozenset(fold(w) for w in words(language(lang), "stop"))


@cache
def _joints(lang: str) -> frozenset[str]:
    """Words for "or": the language's own single ones, and websearch's."""
    own = words(language(lang), "conjunctions/or")
    return frozenset({"or"} | {w for w in own if w.isalpha() and len(w) <= _SHORT_STOP})


_NORMS = MappingProxyType(
    {
        "fr": sql.SQL("vitrine.fr_norm({})"),
        "en": sql.SQL("vitrine.en_norm({})"),
    }
)
_WEBSEARCHES = MappingProxyType(
    {
        "fr": sql.SQL("websearch_to_tsquery('vitrine.fr_unaccent'::regconfig, {})"),
        "en": sql.SQL("websearch_to_tsquery('vitrine.en_unaccent'::regconfig, {})"),
    }
)
_VECTORS = MappingProxyType(
    {
        "fr": sql.SQL("to_tsvector('vitrine.fr_unaccent'::regconfig, {})"),
        "en": sql.SQL("to_tsvector('vitrine.en_unaccent'::regconfig, {})"),
    }
)
_PREFIXES = MappingProxyType(
    {
        "fr": sql.SQL("to_tsquery('vitrine.fr_unaccent'::regconfig, {})"),
        "en": sql.SQL("to_tsquery('vitrine.en_unaccent'::regconfig, {})"),
    }
)


def _spoken(lang: str) -> str:
    return lang if lang in _NORMS else "en"


def websearch(written: sql.Composable, lang: str) -> sql.Composed:
    """Make a tsquery of a text in websearch syntax, as documents were indexed."""
    lang = _spoken(lang)
    return _WEBSEARCHES[lang].format(_NORMS[lang].format(written))


def vector(written: sql.Composable, lang: str) -> sql.Composed:
    """Make a tsvector of plain words, as documents were indexed."""
    lang = _spoken(lang)
    return _VECTORS[lang].format(_NORMS[lang].format(written))


def prefix(query: Wording, lang: str, binds: Binds) -> sql.Composed | None:
    """Make a tsquery that requires each word as a prefix, stemmed first."""
    if query.prefixes is None:
        return None
    lang = _spoken(lang)
    written = " & ".join(
        word + ":*" if len(word) >= SHORTEST_PREFIX else word for word in query.prefixes
    )
    return _PREFIXES[lang].format(_NORMS[lang].format(binds(written, "text")))
