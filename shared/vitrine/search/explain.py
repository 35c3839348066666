"""Why a search finds nothing: its filters counted alone and left out, in one trip.

The filters are the children of the root AND, leaf or group, in tree order, five at
most; the suggestions are counted in the same statement. A capped profile may ask
only about its search that has just found nothing, and reads buckets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from vitrine.disclosure.answer import Suggestion, Total
from vitrine.disclosure.counts import UNTOLD, threshold, told
from vitrine.problems import Fault, Invalid
from vitrine.registry.operators import FULL_TEXT_FIELD
from vitrine.search.engine import Count, Mode
from vitrine.search.prepare import Ask, Parts, Ready, checked, measured, payer, prepare
from vitrine.search.suggest import OFFERED, Candidate, relaxations
from vitrine.store.budgets import charge_counts, was_empty
from vitrine.tree.describe import describe
from vitrine.tree.model import EMPTY, Group, Node, dump, leaves
from vitrine.tree.walk import tree_hash

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
    """Each filter in tree order, the blocking ones' pointers, and ways on.

    ``mode`` is how words were counted, None where there are none.
    """

    filters: tuple[Filter, ...]
    blocking: tuple[str, ...]
    suggestions: tuple[Suggestion, ...]
    mode: Mode | None = None


def explain(ask: Ask, parts: Parts) -> Explanation:
    """Explain an empty search; raise ``Invalid`` where it is not empty.

    Costs one engine statement, and one more where labels are to be resolved.
    """
    tree = checked(ask)
    n = len(_children(tree))
    if not n:
        return Explanation((), (), ())
    # Before labels are resolved: a refused call reaches no engine.
    _pay(ask, parts, tree, n)
    ready = prepare(ask, parts.engine)
    trees = _counted(ask, ready)
    # The whole is counted once more, in the same statement: a document may have come
    # since the search was empty.
    whole, *counts = measured(ask, parts, ready.query, trees)
    if whole is not None and whole.number:
        raise Invalid([_not_empty()])
    pairs = zip(counts[:n], counts[n : 2 * n], strict=True)
    filters = tuple(
        _filter(ask, ready, index, *pair) for index, pair in enumerate(pairs)
    )
    # Offered with labels, as a person could have written them.
    options = list(relaxations(ready.tree, ask.registry, today=ask.today))
    blocking = tuple(f.pointer for f in filters if f.blocks)
    suggestions = offers(ask, options, counts[2 * n :])
    return Explanation(filters, blocking, suggestions, _mode(tree))


def _mode(tree: Group) -> Mode | None:
    """Tell how words are counted: as they were written.

    A ladder of each part would be a statement of each part. So where the search was
    widened, its report names the words that were searched, and these counts do not.
    """
    worded = any(rule.field == FULL_TEXT_FIELD for _, rule in leaves(tree))
    return "strict" if worded else None


def offers(
    ask: Ask, options: Sequence[Candidate], counts: Sequence[Count | None]
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
        if count is not None and finds(count, k)
    )[:OFFERED]


def finds(count: Count | None, k: int | None) -> bool:
    """Tell whether a count is worth telling: one document, or k to a capped profile.

    Below k, that there is something would be a number too.
    """
    return count is not None and count.number >= (1 if k is None else k)


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


def _filter(
    ask: Ask, ready: Ready, index: int, alone: Count | None, without: Count | None
) -> Filter:
    """Tell one filter: it blocks if it finds nothing, or if the rest does find."""
    k, shown = threshold(ask.registry), _children(ready.tree)[index]
    return Filter(
        pointer=f"/rules/{index}",
        sentence=describe(_only(shown), ask.registry, ask.caller.language),
        total=UNTOLD if alone is None else told(alone, k),
        without=UNTOLD if without is None else told(without, k),
        blocks=not finds(alone, k) or finds(without, k),
    )


def _pay(ask: Ask, parts: Parts, tree: Group, numbers: int) -> None:
    """Charge the numbers that a capped profile is about to read.

    It may ask only about the search that it has just run: whether any other is empty
    would be told for a number instead of a document.
    """
    account = payer(ask, parts)
    if account is None:
        return
    if not was_empty(account, tree_hash(tree), now=ask.now):
        raise Invalid([_not_run()])
    charge_counts(account, numbers, now=ask.now)


def _not_empty() -> Fault:
    return Fault(
        "/tree",
        "not_empty",
        "The search finds something, so there is nothing to explain.",
        "Execute it instead.",
    )


def _not_run() -> Fault:
    return Fault(
        "/tree",
        "not_empty",
        "Only a search that has just found nothing is explained: of any other there is "
        "nothing to explain.",
        "Execute it first.",
    )
