"""What a request to remove points at: fields and values that stand in the tree.

A field may be told by any of its names, by a part of one, or by what it measures:
"whatever the budget" frees the price.
"""

from __future__ import annotations

from vitrine.language.phrases import phrases
from vitrine.lexicon import texts
from vitrine.lexicon.assemble import assemble, one
from vitrine.lexicon.fitness import kinds, named
from vitrine.lexicon.marks import own
from vitrine.lexicon.placing import DAYS, measures
from vitrine.lexicon.sentence import Find, Sentence
from vitrine.registry.fields import Field
from vitrine.registry.operators import FULL_TEXT_FIELD
from vitrine.session import Intent
from vitrine.tree.merge import merge
from vitrine.tree.model import Group, Node, Rule, leaves
from vitrine.tree.slots import key, keys


def taken(said: Sentence, tree: Group, old: range) -> tuple[Intent, Group] | None:
    """Take away what a message names; what it asks for beside that comes after.

    Both in one turn make the whole tree: "forget the red, blue".
    """
    gone, rest = _removed(said, tree, old)
    if not gone or not rest:
        return ("remove", Group("and", gone)) if gone else None
    said.finds = [f for f in said.finds if f.kind == "cue" or f in rest]
    left = merge(tree, "remove", Group("and", gone), said.registry).tree
    more = Group("and", assemble(said))
    return "search", merge(left, "refine", more, said.registry).tree


def _removed(
    said: Sentence, tree: Group, old: range
) -> tuple[tuple[Node, ...], list[Find]]:
    """Name what goes, the values that stand and whole fields, and what is else asked.

    Where nothing that was named stands, all of it was meant to go, and is told.
    """
    held = {rule.field for _, rule in leaves(tree)}
    finds = [f for f in said.finds if f.options and f.start not in old]
    gone = [f for f in finds if _goes(f, tree)]
    hinted = [] if gone else _hinted(said, held)
    if not gone and not hinted:
        gone = [f for f in finds if any(f.offers(key) for key in held)]
    rest = [f for f in finds if f not in gone and f.kind in {"value", "person"}]
    rules = [_pointed(f, held) for f in gone] + [Rule(key, "") for key in hinted]
    query, _ = texts.rest(said, old)
    if not rules and query and FULL_TEXT_FIELD in held:
        rules.append(Rule(FULL_TEXT_FIELD, "hybrid_search", query[:256]))
    return tuple(dict.fromkeys(rules)), rest


def _goes(find: Find, tree: Group) -> bool:
    """Tell a find that names a field that stands, or a value that stands in it."""
    standing = [rule for _, rule in leaves(tree)]
    named = find.kind == "label"
    return any(
        rule.field == field.key and (named or value is True or key(value) in keys(rule))
        for rule in standing
        for field, value in find.options
    )


def _pointed(find: Find, held: set[str]) -> Rule:
    """Point at the field that a find names, or at its value."""
    option = next(o for o in find.options if o[0].key in held)
    whole = find.kind == "label" or option[1] is True
    return Rule(option[0].key, "") if whole else one(*option)


def _hinted(said: Sentence, held: set[str]) -> list[str]:
    """Name the fields that stand by a part of their name, or by what they hold.

    "Remove the date" means the only date that the tree has.
    """
    told = {f.key for m in said.names for f in m.fields} & held
    if not told:
        known = (said.registry.filters.get(key) for key in held)
        told = {f.key for f in known if f and _measured(said, f)}
    return sorted(told)


def _measured(said: Sentence, field: Field) -> bool:
    places = [at for at in range(len(said.found)) if said.taken(at) is None]
    if field.type in DAYS and any("day" in named(said, at) for at in places):
        return True
    everywhere = range(len(said.found))
    for kind in ("place", "day"):
        if any(own(said, at, f"any_{kind}") for at in everywhere):
            return field.type in DAYS if kind == "day" else kind in kinds(said, field)
    spans = (phrases(said.lang, "dimensions").at(said.found, at) for at in places)
    return any(measures(said, field, key) for s in spans if s for key in s.keys)
