"""Words with two readings: the question, and the answer that settles it.

A question is data: its term and its options, so that a button can answer it. The
answer is recognised without a model; what it settles is then read off the tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import sqrt

from vitrine.language.folding import fold, stem, tokens
from vitrine.language.phrases import is_stop
from vitrine.language.words import language as known
from vitrine.language.words import languages
from vitrine.lexicon.explain import explain
from vitrine.lexicon.read import NAME as LEXICON
from vitrine.registry.manifest import Ambiguity, Reading
from vitrine.registry.operators import FULL_TEXT_FIELD
from vitrine.registry.profiles import Registry
from vitrine.session import UNKNOWN, Clarify, Intent, Option, Session, Turn
from vitrine.tree.model import EMPTY, Group, Rule


def asking(term: Ambiguity, language: str, by: str = LEXICON) -> Turn:
    """Ask which reading of a term is meant; the tree stays."""
    lang = known(language)
    question = spoken(term.question, lang)
    options = tuple(Option(r.name, spoken(r.label, lang)) for r in term.readings)
    clarify = Clarify("ambiguous", question, options, term.term)
    return Turn("clarify", EMPTY, question, clarify, by)


def spoken(texts: dict[str, str], lang: str) -> str:
    """Give a manifest's text in a language, else in English, else in any."""
    return texts.get(lang) or texts.get("en") or next(iter(texts.values()), "")


def answered(
    message: str, session: Session, registry: Registry, language: str
) -> Turn | None:
    """Read a message that does nothing but choose a reading of an open question."""
    for term in registry.manifest.ambiguous:
        if session.readings.get(term.term) != UNKNOWN:
            continue
        chosen = [r for r in term.readings if _names(message, r)]
        if len(chosen) == 1 and (rule := _rule(term, chosen[0], registry, language)):
            return _turn(rule, session, registry, language)
    return None


def _names(message: str, reading: Reading) -> bool:
    """Tell whether the content words of a message all stand in a reading's names."""
    if fold(message) == reading.name:
        return True
    return any(
        _said(message, lang) and _said(message, lang) <= _said(label, lang)
        for lang, label in reading.label.items()
        if lang in languages()
    )


def _said(text: str, lang: str) -> set[str]:
    words = (t for t in tokens(text) if t.folded[:1].isalnum())
    return {stem(t.folded, lang) for t in words if not is_stop(t, lang)}


def _rule(
    term: Ambiguity, reading: Reading, registry: Registry, language: str
) -> Rule | None:
    if reading.field in registry.filters and reading.value is not None:
        return Rule(str(reading.field), "equals", reading.value)
    words = term.words.get(known(language)) or next(iter(term.words.values()), ())
    if FULL_TEXT_FIELD not in registry.filters or not words or reading.field:
        return None
    return Rule(FULL_TEXT_FIELD, "hybrid_search", words[0])


def _turn(rule: Rule, session: Session, registry: Registry, language: str) -> Turn:
    delta = Group(rules=(rule,))
    intent: Intent = "refine" if session.tree else "search"
    return Turn(intent, delta, explain(intent, delta, registry, language), by=LEXICON)


CLEAR = 0.8
CONFIDENCE = 1.645


def habit(votes: Mapping[str, int]) -> str:
    """Name the reading that people clearly mean, nothing where they are still asked.

    A question costs everybody a turn; a wrong guess costs some people three, once they
    have noticed it. So a guess must be right four times in five, and surely so: the
    lower bound of Wilson's interval (1927; one-sided, 95 %) of the share must reach
    that. Eleven people of one mind are enough, or nineteen of twenty.
    """
    total = sum(votes.values())
    if not total:
        return ""
    name, most = max(votes.items(), key=lambda vote: vote[1])
    return name if _surely(most / total, total) >= CLEAR else ""


def _surely(share: float, total: int) -> float:
    """Give Wilson's lower bound of a share."""
    z2 = CONFIDENCE**2
    spread = sqrt(share * (1 - share) / total + z2 / (4 * total * total))
    return (share + z2 / (2 * total) - CONFIDENCE * spread) / (1 + z2 / total)


def unsettled(terms: Iterable[Ambiguity]) -> list[dict[str, object]]:
    """Describe open terms to a model: their words and readings."""
    return [
        {
            "words": [w for listed in term.words.values() for w in listed][:6],
            "readings": {r.name: spoken(r.label, "en") for r in term.readings},
        }
        for term in terms
    ]
