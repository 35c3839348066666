"""Why a search finds nothing: its filters counted alone and left out, in one trip.

The filters are the children of the root AND, leaf or group, in tree order, five at
most; the suggestions are counted in the same statement. A capped profile may ask
only for a tree that is empty for it, and reads buckets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from vitrine.disclosure.answer import Suggestion, Total
from vitrine.disclosure.counts import threshold, told
from vitrine.problems import Fault, Invalid
from vitrine.search.engine import Count
from vitrine.search.prepare import Ask, Parts, Ready, conditions, payer, prepare
from vitrine.search.suggest import OFFERED, Candidate, relaxations
from vitrine.store.budgets import charge_counts
from vitrine.tree.describe import describe
from vitrine.tree.model import EMPTY, Group, Node, dump

EXPLAINED = 5


@dataclass(frozen=True, slots=True)
class Filter:
    """One filter of an empty search: what it finds alone, and what without it."""

    pointer: str
    sentence: str
    total: Total
    without: Total
    blocks: bool


@dataclass(frozen=True, slots=True)
class Explanation:
    """Each filter in tree order, the blocking ones' pointers, and ways on."""

    filters: tuple[Filter, ...]
    blocking: tuple[str, ...]
    suggestions: tuple[Suggestion, ...]


def explain(ask: Ask, parts: Parts) -> Explanation:
    """Explain an empty search; raise ``Invalid`` where it is not empty.

    Costs one engine statement, and one more where labels are to be resolved.
    """
    ready = prepare(ask, parts.engine)
    children = _children(ready.settled)
    if not children:
        return Explanation((), (), ())
    n, trees = len(children), _counted(ask, ready)
    # Paid first: whether a tree is empty is a number too.
    _pay(ask, parts, n)
    whole, *counts = parts.engine.count(ready.query, conditions(ask, trees))
    if whole.number:
        raise Invalid([_not_empty()])
    pairs = zip(counts[:n], counts[n : 2 * n], strict=True)
    filters = tuple(
        _filter(ask, ready, index, *pair) for index, pair in enumerate(pairs)
    )
    # Offered with labels, as a person could have written them.
    options = list(relaxations(ready.tree, ask.registry, today=ask.today))
    blocking = tuple(f.pointer for f in filters if f.blocks)
    return Explanation(filters, blocking, offers(ask, options, counts[2 * n :]))


def offers(
    ask: Ask, options: Sequence[Candidate], counts: Sequence[Count]
) -> tuple[Suggestion, ...]:
    """Keep the candidates that find something, with their sentence and number."""
    k, language = threshold(ask.registry), ask.caller.language
    return tuple(
        Suggestion(
            describe(option.tree, ask.registry, language),
            dump(option.tree),
            told(count, k),
        )
        for option, count in zip(options, counts, strict=True)
        if count.number
    )[:OFFERED]


def _counted(ask: Ask, ready: Ready) -> list[Group]:
    """List what one statement counts: all, each alone, each left out, suggestions."""
    tree = ready.settled
    children = _children(tree)
    options = relaxations(tree, ask.registry, today=ask.today)
    return [
        tree,
        *(_only(child) for child in children),
        *(_without(tree, index) for index in range(len(children))),
        *(option.tree for option in options),
    ]


def _children(tree: Group) -> tuple[Node, ...]:
    if tree.negated or (tree.operator == "or" and len(tree.rules) > 1):
        return (tree,)
    return tree.rules[:EXPLAINED]


def _only(child: Node) -> Group:
    return child if isinstance(child, Group) else Group(rules=(child,))


def _without(tree: Group, index: int) -> Group:
    if tree.negated or tree.operator == "or":
        return EMPTY
    return replace(tree, rules=(*tree.rules[:index], *tree.rules[index + 1 :]))


def _filter(ask: Ask, ready: Ready, index: int, alone: Count, without: Count) -> Filter:
    """Tell one filter: it blocks if it finds nothing, or if the rest does find."""
    k, shown = threshold(ask.registry), _children(ready.tree)[index]
    return Filter(
        pointer=f"/rules/{index}",
        sentence=describe(_only(shown), ask.registry, ask.caller.language),
        total=told(alone, k),
        without=told(without, k),
        blocks=not alone.number or bool(without.number),
    )


def _pay(ask: Ask, parts: Parts, numbers: int) -> None:
    """Charge the numbers that a capped profile is about to read."""
    account = payer(ask, parts)
    if account is not None:
        charge_counts(account, numbers, now=ask.now)


def _not_empty() -> Fault:
    return Fault(
        "/tree",
        "not_empty",
        "The search finds something, so there is nothing to explain.",
        "Execute it instead.",
    )
