"""Words for a full-text search: values of open text fields, and the rest.

A purpose complement ("for the newsletter header", "pour l'en-tête de la newsletter")
says what a thing is for, not what it is, so it is no search word: "for" with a
determiner opens one, unless a person follows ("for a child") or the registry knows
what stands there. It ends at a comma, at another find or at a conjunction.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from vitrine.language.words import words
from vitrine.lexicon.marks import akin, ends, joint, mark, own
from vitrine.lexicon.negation import negators
from vitrine.lexicon.sentence import Find, Sentence
from vitrine.registry.fields import Field
from vitrine.registry.operators import FULL_TEXT_FIELD, FieldType
from vitrine.tree.model import Group, Rule, leaves

OPEN = frozenset({FieldType.TEXT, FieldType.IDENTIFIER, FieldType.VOCABULARY})
VERBS = ("contains", "starts_with", "equals")


def labelled(said: Sentence) -> Iterator[Find]:
    """Yield "last name Dupont", "title contains X": an open field with its words."""
    for label in [f for f in said.finds if f.kind == "label"]:
        fields = [f for f, _ in label.options if f.type in OPEN and not f.choices]
        if not fields:
            continue
        runs = said.registry.operators(fields[0].key)
        told, start = _verb(said, label)
        if mark(said, start, "nulls/empty") or own(said, start, "alright"):
            continue  # "whose city is unknown", "any city is fine" name no city
        if own(said, start, "neither"):
            continue  # what is denied is read with all that it heads
        verb = told if told in runs else ""
        quote = next((f for f in said.finds if f.start == start), None)
        if quote and quote.kind == "quote":
            yield _worded(
                label.start, quote.end, fields[0], verb or _default(runs), quote.what
            )
            continue
        if told == "contains" and not said.tabular:
            start = own(said, start, "determiner") or start
        end = _run(said, start, loose=bool(told))
        if end > start:
            worded = said.text[said.found[start].start : said.found[end - 1].end]
            yield _worded(label.start, end, fields[0], verb or _default(runs), worded)


def _default(runs: Collection[str]) -> str:
    known = ("contains", "vocab_text_equals", "equals")
    return next(name for name in known if name in runs)


def _verb(said: Sentence, label: Find) -> tuple[str, int]:
    """Find what links a name with its words: contains, is, a colon, "with … of"."""
    at = label.end
    if _held(said, label) and (end := own(said, at, "holding")):
        return "equals", end
    for place in (at, at + 1):
        for verb in VERBS:
            end = own(said, place, verb) if place < len(said.found) else 0
            if end:
                return verb, end
        if place < len(said.found) and not said.glue(place):
            break
    colon = at < len(said.found) and said.found[at].folded == ":"
    return "", at + 1 if colon else at


def _held(said: Sentence, label: Find) -> bool:
    """Tell whether "with a" or "whose" stands before a name."""
    places = range(max(0, label.start - 3), label.start)
    return any(own(said, at, "whose") == label.start for at in places)


def _run(said: Sentence, start: int, *, loose: bool) -> int:
    """Take the words that follow: names and numbers, or any after a verb."""
    end = start
    while end < len(said.found) and not said.taken(end) and not said.glue(end):
        token = said.found[end]
        if not loose and not (token.text[:1].isupper() or token.text[:1].isdigit()):
            break
        end += 1
    return end


def _worded(start: int, end: int, field: Field, verb: str, told: str) -> Find:
    rule = Rule(field.key, verb, told)
    return Find(start, end, "value", ((field, told),), what=rule)


def purposes(said: Sentence) -> Iterator[Find]:
    """Yield the complements that say what a thing is for."""
    for at in range(len(said.found)):
        start = own(said, at, "purpose")
        if not start or not said.free(at, start) or start >= len(said.found):
            continue
        if not own(said, start, "determiner"):
            continue
        end = _complement(said, start)
        if end > start + 1 and not _personal(said, start, end):
            yield Find(at, end, "dropped", rank=1)


def _complement(said: Sentence, start: int) -> int:
    end = start
    while end < len(said.found) and not _closes(said, end):
        end += 1
    return end


def _closes(said: Sentence, at: int) -> bool:
    taken = said.taken(at)
    known = taken is not None and taken.kind not in {"label", "flag"}
    return known or ends(said, at) or joint(said, at, "and") or joint(said, at, "but")


def _personal(said: Sentence, start: int, end: int) -> bool:
    people = {f"c:{key}" for key in words(said.lang, "lexicon/person")}
    heard = {s for at in range(start, end) for g in said.rows[at] for s in g.senses}
    return bool(people & heard)


def rest(said: Sentence, old: range = range(0)) -> tuple[str, bool]:
    """Give what is left as a websearch query, and whether it asks for anything.

    ``old`` are tokens that name what is replaced.
    """
    denied = {span.end - 1 for span in negators(said)}
    wanted: list[str] = []
    minus = False
    for at in range(len(said.found)):
        if at in denied:
            minus = True
        elif at not in old and telling(said, at):
            wanted.append(f"-{said.found[at].text}" if minus else said.found[at].text)
            minus = False
    quoted = [f'"{f.what}"' for f in said.finds if f.kind == "quote"]
    words_ = [*quoted, *wanted]
    return " ".join(words_), any(not w.startswith("-") for w in words_)


def unread(said: Sentence, delta: Group, old: range = range(0)) -> str:
    """Give the words that no filter and no query took; they are told, not dropped.

    Where no text can be searched, an unknown word has nowhere to go.
    """
    searched = any(rule.field == FULL_TEXT_FIELD for _, rule in leaves(delta))
    return "" if searched else rest(said, old)[0]


def telling(said: Sentence, at: int) -> bool:
    """Tell whether a token is a word of the subject."""
    if said.taken(at) or said.glue(at) or akin(said, at, "generic"):
        return False
    relational = any(
        f.type is FieldType.RELATION for f in said.registry.filters.values()
    )
    if relational and (akin(said, at, "talk") or akin(said, at, "tagging")):
        return False
    joined = any(joint(said, at, key) for key in ("and", "or", "but"))
    return not joined and len(said.found[at].folded) != 1


def searchable(said: Sentence) -> bool:
    """Tell whether the profile may search in full text."""
    return FULL_TEXT_FIELD in said.registry.filters


def worded(
    said: Sentence,
    span: tuple[int, int],
    whole: tuple[int, int],
    field: Field,
    *,
    negated: bool = False,
) -> Find:
    """Give a field the words of a span; ``whole`` takes in the name beside it."""
    start, end = span
    quote = said.taken(start)
    if quote and quote.kind == "quote":
        told = str(quote.what)
    else:
        told = said.text[said.found[start].start : said.found[end - 1].end]
    rule = Rule(field.key, _default(said.registry.operators(field.key)), told)
    return Find(*whole, "value", ((field, told),), what=rule, negated=negated)
