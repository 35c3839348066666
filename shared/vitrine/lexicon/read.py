"""Read a message: the passes in order, and the turn that comes of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from types import MappingProxyType

from vitrine.language.words import language as known
from vitrine.language.words import words
from vitrine.lexicon import (
    asked,
    bands,
    beside,
    bound,
    context,
    directions,
    edits,
    fitness,
    groups,
    linking,
    loose,
    measures,
    mentions,
    negation,
    nulls,
    persons,
    placing,
    quotes,
    readings,
    references,
    relative,
    removals,
    stays,
    swaps,
    talk,
    texts,
    times,
    values,
    widen,
)
from vitrine.lexicon.assemble import assemble, one
from vitrine.lexicon.edits import Edit
from vitrine.lexicon.explain import explain
from vitrine.lexicon.marks import joint, mark, own
from vitrine.lexicon.measures import Measure
from vitrine.lexicon.senses import senses
from vitrine.lexicon.sentence import Find, Sentence, sentence
from vitrine.registry.operators import FULL_TEXT_FIELD
from vitrine.registry.profiles import Registry
from vitrine.session import Clarify, Intent, Option, Turn
from vitrine.tree.model import EMPTY, Group, Node, Rule, leaves

NAME = "lexicon"
NONE: Mapping[str, str] = MappingProxyType({})
_ADDING = frozenset({"search", "refine", "expand"})


def read(
    message: str,
    tree: Group,
    registry: Registry,
    *,
    today: date,
    language: str = "en",
    settled: Mapping[str, str] = NONE,
    asked_before: str = "",
    link: linking.Link | None = None,
) -> Turn:
    """Give the turn that a message means; ``clarify`` where it means nothing here.

    ``settled`` maps an ambiguous term to its reading; ``asked_before`` is what the
    assistant said last, so that a bare value answers the field it asked for.
    ``link`` tells how near unknown words are to listed values, where that is known.
    """
    said = sentence(message, registry, language)
    said.wanted = context.wanted(asked_before, said) if asked_before else ()
    said.told = context.stated(asked_before)
    edit = _passes(said, tree, today, settled)
    if link is not None:
        if doubt := linking.link(said, link, edit.old):
            return _doubted(said, doubt)
        _prefer(said, tree)
    negation.apply(said)
    intent, delta = _meant(said, edit, tree)
    if intent == "clarify":
        question = str(words(known(language), "turns/unclear"))
        return Turn("clarify", EMPTY, question, Clarify("unclear", question), NAME)
    explanation = explain(intent, delta, registry, language)
    left = texts.unread(said, delta, edit.old) if intent in _ADDING else ""
    return Turn(intent, delta, explanation, by=NAME, unread=left)


def _passes(
    said: Sentence, tree: Group, today: date, settled: Mapping[str, str]
) -> Edit:
    said.settle(quotes.propose(said))
    said.settle(readings.propose(said, settled))
    edit = edits.read(said, tree)
    said.standing = tuple(rule for _, rule in leaves(tree))
    said.replacing = edit.replace
    said.swapped = swaps.swapped(said, edit)
    talking = bool(tree) or bool(said.wanted)
    requests = (
        list(context.requests(said, tree))
        if talking and not texts.searchable(said)
        else []
    )
    said.settle(f for f in requests if not f.what)
    said.names = tuple(asked.asked(said, mentions.mentions(said)))
    alone = not talking and not texts.searchable(said)
    said.tabular = alone and not groups.parted(said) and asked.questions(said)
    # "half past 6" is longer than the amount in it, and is read before it
    said.settle(list(times.propose(said)))
    found = list(measures.propose(said))
    aside = [] if said.tabular else talk.errands(said)
    said.settle([*found, *_apart(values.propose(said), found), *aside])
    if not said.tabular and not texts.searchable(said):
        widen.widen(said)
    if not said.tabular:
        widen.extend(said)
    context.answer(said, requests)
    if talking and not texts.searchable(said):
        context.remark(said, asked=bool(requests))
        context.doubt(said)
        talk.comments(said)
    _prefer(said, tree)
    stays.bind(said, today)
    bound.bind(said, beside.bind(said, today))
    for worded in list(texts.labelled(said)):
        said.finds = [f for f in said.finds if not worded.start <= f.start < worded.end]
        said.settle([worded])
    nulls.apply(said)
    said.settle(list(persons.propose(said)))
    if _place(said, today):
        # a period that no date field takes may be a value of a list: "the 1990s"
        said.settle(f for f in values.propose(said) if f.kind == "value")
        _prefer(said, tree)
    nulls.orphans(said)
    said.settle(list(references.propose(said, tree)))
    if not texts.searchable(said):
        said.settle(list(loose.propose(said, tree)))
        said.settle(list(relative.propose(said, tree)))
    said.settle(list(texts.purposes(said)))
    return edit


def _doubted(said: Sentence, doubt: linking.Doubt) -> Turn:
    """Ask which of two values a word means.

    An option's name is the whole message in that value's words: sent back as the
    answer it is read exactly, and nothing else that was said is lost.
    """
    first, last = said.found[doubt.start], said.found[doubt.end - 1]
    before, after = said.text[: first.start], said.text[last.end :]
    options = tuple(Option(f"{before}{v}{after}", v) for v in doubt.values)
    word = said.text[first.start : last.end]
    told = dict(zip(("one", "other"), doubt.values, strict=True))
    question = str(words(said.lang, "turns/near")).format(word=word, **told)
    return Turn(
        "clarify", EMPTY, question, Clarify("ambiguous", question, options, word), NAME
    )


def _apart(proposals: Iterable[Find], found: Sequence[Find]) -> Iterator[Find]:
    """Leave out labels that run into a period: "created this year" is no label."""
    timed = [f for f in found if isinstance(f.what, Measure) and f.what.period]
    spans = [f for f in timed if not f.what.bare]
    for find in proposals:
        crossed = any(f.start < find.end and find.start < f.end for f in spans)
        if find.kind != "label" or not crossed:
            yield find


def _prefer(said: Sentence, tree: Group) -> None:
    """Choose among a value's fields: the named one, its neighbour's, the tree's."""
    labels = [f for f in said.finds if f.kind == "label"]
    used = {rule.field for _, rule in leaves(tree)}

    def chosen(find: Find) -> Find:
        if find.kind != "value":
            return find
        find = directions.turned(said, find)
        if len(find.options) < 2:  # noqa: PLR2004 - a choice
            return find
        kind, beside = _kind(said, find, tree), list(_beside(said, find, labels))
        # "the area" of a hotel and of a train have one name: the kind tells them apart
        named = [name for name in kind if name in beside]
        keys = (*named, *beside, *_made(said, find), *_listed(said, find))
        for name in (*keys, *kind, *said.wanted):
            if find.offers(name):
                return find.of(name)
        return next((find.of(o[0].key) for o in find.options if o[0].key in used), find)

    said.swap(chosen)


def _beside(said: Sentence, find: Find, labels: list[Find]) -> Iterator[str]:
    for label in labels:
        gap = (
            (label.end, find.start)
            if label.start < find.start
            else (find.end, label.start)
        )
        if said.bridged(*gap):
            yield from (option[0].key for option in label.options)


def _kind(said: Sentence, find: Find, tree: Group) -> tuple[str, ...]:
    """Name the fields of the kind spoken of, first those that its words lead to."""
    led, near = list(_towards(said, find)), list(groups.near(said, find, tree))
    return (*(key for key in led if key in near), *near, *led)


def _towards(said: Sentence, find: Find) -> Iterator[str]:
    """Name the fields of the direction that a word before a value tells."""
    led = fitness.led(said, find.start)
    for field, _ in find.options:
        if led and led & fitness.kinds(said, field):
            yield field.key


def _made(said: Sentence, find: Find) -> Iterator[str]:
    """Name the fields of materials where "in" or "en" stands before a value."""
    if not any(own(said, at, "made") == find.start for at in range(find.start)):
        return
    matter = senses("material")
    for field, _ in find.options:
        names = said.index.names.get(field.key, ())
        if any(part.senses & matter for entry in names for part in entry.parts):
            yield field.key


def _listed(said: Sentence, find: Find) -> Iterator[str]:
    """Name the fields that a value joined to this one could share with it."""
    for other in said.finds:
        if other is find or other.kind != "value":
            continue
        first, second = sorted((find, other), key=lambda f: f.start)
        between = range(first.end, second.start)
        if said.bridged(first.end, second.start) and any(
            joint(said, at, "or") or joint(said, at, "and") for at in between
        ):
            yield from (option[0].key for option in other.options)


def _place(said: Sentence, today: date) -> bool:
    """Give each amount and period to a field; tell whether any fits none."""
    left = False
    for find in [f for f in said.finds if isinstance(f.what, Measure)]:
        placed = placing.place(said, find, today)
        said.finds.remove(find)
        if placed is None:
            left = True
            said.settle(filter(None, [bands.banded(said, find)]))
            continue
        field = said.registry.filters[placed.rule.field]
        option = ((field, placed.rule.value),)
        said.settle([replace(find, kind="value", options=option, what=placed.rule)])
        named = (Find(at, at + 1, "cue") for at in placed.tokens)
        said.settle(list(named))
    return left


def _meant(said: Sentence, edit: Edit, tree: Group) -> tuple[Intent, Group]:
    told = (f for f in said.finds if f.start in edit.old and f.kind == "value")
    old = tuple(one(*option) for f in told for option in f.options)
    if edit.old:
        said.swap(
            lambda f: None if f.start in edit.old and f.end - 1 in edit.old else f
        )
    if edit.remove and (taken := removals.taken(said, tree, edit.old)):
        return taken
    edits.agree(said, edit)
    denied = swaps.contrast(said)
    nodes = assemble(said)
    if gone := swaps.dropped(said, tree):
        return "remove", Group("and", gone)
    corrects = edit.replace or bool(denied)
    if corrects and (whole := swaps.whole(said, tree, nodes, (*denied, *old))):
        return "search", whole
    nodes = (*_text(said, edit), *nodes)
    if edit.reset:
        return ("search", Group("and", nodes)) if nodes else ("reset", EMPTY)
    if not nodes or _asks(said):
        return "clarify", EMPTY
    return _intent(said, edit, tree, nodes), Group("and", nodes)


def _asks(said: Sentence) -> bool:
    """Tell a question about what no field holds: "what is the weather in Lyon?"."""
    end = mark(said, 0, "questions/column") if said.found else 0
    if not end or texts.searchable(said) or said.names:
        return False
    asked = next((at for at in range(end, len(said.found)) if not said.glue(at)), None)
    return asked is not None and said.taken(asked) is None


def _text(said: Sentence, edit: Edit) -> tuple[Node, ...]:
    query, asking = texts.rest(said, edit.old)
    if not texts.searchable(said) or not asking:
        return ()
    return (Rule(FULL_TEXT_FIELD, "hybrid_search", query[:256]),)


def _intent(said: Sentence, edit: Edit, tree: Group, nodes: tuple[Node, ...]) -> Intent:
    if not tree:
        return "search"
    held = {rule.field for _, rule in leaves(tree)}
    asked = {rule.field for node in nodes for _, rule in leaves(node)}
    renamed = any(map(partial(_renamed, said), asked))
    anew = renamed or (edit.seek and groups.parted(said))
    denied = any(f.negated for f in said.finds)
    wider = edits.expands(said, edit) and not (edit.old or denied or anew)
    if wider and asked <= held:
        return "expand"
    fresh = edit.seek and FULL_TEXT_FIELD in asked and not edit.replace
    return "search" if fresh else "refine"


def _renamed(said: Sentence, key: str) -> bool:
    """Tell whether a message names the kind of thing again: "I also want a train"."""
    field = said.registry.filters.get(key)
    group = field.group if field else ""
    return bool(group) and any(True for _ in groups.named(said, group))
