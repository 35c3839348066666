"""From an asked tree to a query: check, resolve, lower. Every search begins so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from urllib.parse import quote_plus
from zoneinfo import ZoneInfo

from vitrine.caller import Caller
from vitrine.disclosure.budgets import caps_of, identity_of
from vitrine.disclosure.labels import label
from vitrine.disclosure.numbers import countable
from vitrine.disclosure.watching import Note, unheard
from vitrine.problems import Fault, Invalid
from vitrine.registry.operators import FULL_TEXT_FIELD
from vitrine.registry.profiles import Registry
from vitrine.seal import Refs, Ring
from vitrine.search.engine import Count, Engine, Query, Sort
from vitrine.search.report import Resolved
from vitrine.search.resolve import periods, resolve
from vitrine.store.budgets import Account
from vitrine.store.planted import Canaries
from vitrine.store.raises import Raises
from vitrine.store.table import Table
from vitrine.tree.conditions import FALSE, TRUE, Condition
from vitrine.tree.lower import every, lower
from vitrine.tree.model import Group, Rule, leaves
from vitrine.validate import validate


@dataclass(frozen=True, slots=True)
class Parts:
    """What a search needs of its environment."""

    engine: Engine
    table: Table
    ring: Ring
    refs: Refs
    raises: Raises | None = None
    canaries: Canaries | None = None
    note: Note = unheard


@dataclass(frozen=True, slots=True)
class Ask:
    """One request to search or to explain.

    ``session`` is a live session's id, None outside of one.
    ``ids`` admits the id operators of a trusted editor.
    ``limit`` None takes the profile's page; 0 asks for facets alone.
    ``sort`` is a field to order by, after ``-`` where its values shall fall.
    """

    caller: Caller
    registry: Registry
    tree: Group
    now: datetime
    session: str | None = None
    limit: int | None = None
    cursor: str | None = None
    ids: bool = False
    sort: str | None = None

    @property
    def today(self) -> date:
        """Give the date where the tenant is."""
        return self.now.astimezone(ZoneInfo(self.registry.manifest.zone)).date()


@dataclass(frozen=True, slots=True)
class Ready:
    """A checked tree as it will run: ``tree`` with labels, ``settled`` with ids."""

    tree: Group
    settled: Group
    query: Query
    resolved: tuple[Resolved, ...]


def prepare(ask: Ask, engine: Engine) -> Ready:
    """Check, resolve and lower; raise ``Invalid`` before any search where it fails."""
    tree = checked(ask)
    bare = Query(ask.caller, ask.registry, TRUE)
    settled = resolve(tree, engine, bare)
    lowered = lower(settled.tree, ask.registry, today=ask.today)
    query = Query(
        ask.caller,
        ask.registry,
        lowered.condition,
        lowered.text,
        sort=sort_of(ask.sort, ask.registry),
    )
    taken = (*settled.resolved, *periods(tree, ask.registry, ask.today))
    return Ready(tree, settled.tree, query, taken)


def sort_of(written: str | None, registry: Registry) -> Sort | None:
    """Read a chosen order; raise ``Invalid`` naming those that this profile has.

    A field that is closed to the profile is refused as one that never was.
    """
    if written is None:
        return None
    key = written.removeprefix("-")
    if key in registry.sorts:
        return Sort(registry.fields[key], descending=written.startswith("-"))
    known = [way for k in registry.sorts for way in (k, f"-{k}")]
    remedy = f"Orders: {', '.join(known)}." if known else "Leave it out."
    message = f"sort: there is no order by {key[:64]!r} here"
    raise Invalid([Fault("/sort", "unknown_sort", message, remedy)])


def checked(ask: Ask) -> Group:
    """Check a tree against the caller's registry; raise ``Invalid`` where it fails."""
    return validate(
        ask.tree,
        ask.registry,
        today=ask.today,
        language=ask.caller.language,
        ids=ask.ids,
    ).require()


def payer(ask: Ask, parts: Parts) -> Account | None:
    """Give the budgets that this request is charged to, None for an uncapped one."""
    caps = caps_of(ask.registry, ask.caller)
    if caps is None:
        return None
    who = identity_of(ask.caller, ask.registry, ask.session)
    if parts.raises is not None:
        caps = parts.raises.lifted(caps, who, now=ask.now)
    return Account(
        parts.table, who, caps, way_on(ask.tree, ask.registry, ask.caller.language)
    )


def way_on(tree: Group, registry: Registry, language: str) -> str:
    """Give the address of the site's own search, with the words that were asked.

    The site has filters of its own; values that were asked for go along as words.
    """
    asked = (w for _, rule in leaves(tree) for w in _words(rule, registry, language))
    return registry.manifest.way_on.replace("{query}", quote_plus(" ".join(asked)))


def _words(rule: Rule, registry: Registry, language: str) -> Iterator[str]:
    """Give a rule's words: the text, or the names of wanted listed values."""
    if rule.field == FULL_TEXT_FIELD:
        yield rule.value
    if rule.operator not in {"equals", "in", "vocab_text_equals", "vocab_text_in"}:
        return
    field = registry.filters[rule.field]
    for value in rule.value if isinstance(rule.value, tuple | list) else [rule.value]:
        if isinstance(value, str):
            yield label(field, value, language) or value


def measured(
    ask: Ask, parts: Parts, query: Query, trees: Sequence[Group]
) -> list[Count | None]:
    """Count trees in one statement; None where the caller may be told no number."""
    wanted: list[Condition | None] = [*conditions(ask, trees)]
    if ask.registry.budget is not None:
        wanted = [c and countable(c, None, ask.registry) for c in wanted]
    # A number that may not be told keeps its place in the statement, as that of
    # nothing: so the lists stay parallel.
    counts = parts.engine.count(query, [FALSE if c is None else c for c in wanted])
    pairs = zip(wanted, counts, strict=True)
    return [None if condition is None else count for condition, count in pairs]


def conditions(ask: Ask, trees: Sequence[Group]) -> list[Condition]:
    """Lower trees for counting: the text is one condition among the others."""
    lowered = (lower(tree, ask.registry, today=ask.today) for tree in trees)
    return [
        every([low.text, low.condition]) if low.text else low.condition
        for low in lowered
    ]
