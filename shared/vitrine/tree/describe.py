"""A tree as one sentence, in English or French: what was executed, not what was meant.

Deterministic: the same tree, registry and language give the same words. Templates
stand with the other sentences of the language, labels with the manifest.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from vitrine.language.colours import name_of, parse_colour
from vitrine.language.sentences import format_date, format_number, join, quote, say
from vitrine.language.sentences import say_period as named
from vitrine.language.words import language as spoken
from vitrine.language.words import words
from vitrine.registry.fields import Field
from vitrine.registry.operators import FULL_TEXT_FIELD, FieldType
from vitrine.registry.profiles import Registry
from vitrine.tree.merge import Change
from vitrine.tree.model import Group, Node, Rule
from vitrine.tree.moments import DAYS
from vitrine.tree.splice import Unmet

_NEGATED = frozenset({"not_equals", "not_in", "vocab_text_not_in", "vocab_id_not_in"})
_PLAIN = frozenset({"", "equals", "in", "in_period", "with_role", "person_name"})
_WRITTEN = frozenset({FieldType.TEXT, FieldType.IDENTIFIER})
_PAIR = 2


def describe(tree: Group, registry: Registry, language: str) -> str:
    """Say a tree in one sentence without a full stop; the empty tree is everything."""
    lang = spoken(language)
    if not tree:
        return say("tree.everything", lang)
    if tree.negated or tree.operator == "or":
        return _group(tree, registry, lang)
    return say("tree.and", lang).join(
        _node(child, registry, lang) for child in tree.rules
    )


def describe_changes(
    changes: Iterable[Change], registry: Registry, language: str
) -> str:
    """Say what a turn changed, in order; an empty string where nothing did."""
    lang = spoken(language)
    return say("tree.and", lang).join(
        _change(change, registry, lang) for change in changes
    )


def describe_unmet(unmet: Iterable[Unmet], registry: Registry, language: str) -> str:
    """Say what was asked and is not so; an empty string where all is."""
    lang = spoken(language)
    return say("tree.and", lang).join(_unmet(one, registry, lang) for one in unmet)


def _change(change: Change, registry: Registry, lang: str) -> str:
    sides = {
        name: "" if node is None else _node(node, registry, lang)
        for name, node in (("before", change.before), ("after", change.after))
    }
    return say(f"change.{change.kind}", lang, **sides)


def _unmet(unmet: Unmet, registry: Registry, lang: str) -> str:
    what = say("tree.everything", lang)
    if unmet.what is not None:
        what = _node(unmet.what, registry, lang)
    return say(f"unmet.{unmet.code}", lang, what=what)


def _node(node: Node, registry: Registry, lang: str) -> str:
    if isinstance(node, Group):
        return _group(node, registry, lang)
    if node.field == FULL_TEXT_FIELD:
        return _search(node, lang)
    field = registry.filters.get(node.field)
    return node.field if field is None else _rule(node, field, registry, lang)


def _group(group: Group, registry: Registry, lang: str) -> str:
    parts = [_node(child, registry, lang) for child in group.rules]
    inside = join(parts, lang, last=group.operator)
    if group.negated:
        return say("tree.denied", lang, value=inside)
    return inside if len(parts) == 1 else say("tree.inner", lang, value=inside)


def _search(rule: Rule, lang: str) -> str:
    if rule.value is None:
        return say("tree.search", lang, value="…")
    kind = "semantic" if rule.operator == "semantic_search" else "search"
    return say(f"tree.{kind}", lang, value=quote(str(rule.value), lang))


def _rule(rule: Rule, field: Field, registry: Registry, lang: str) -> str:
    label = field.named(lang)
    if rule.operator in ("is_empty", "is_not_empty"):
        return say(f"tree.{rule.operator}", lang, field=label)
    if rule.value is None:
        return label
    said = _said(rule, field, registry, lang)
    return say("tree.rule", lang, field=label, value=said)


def _said(rule: Rule, field: Field, registry: Registry, lang: str) -> str:
    several = isinstance(rule.value, tuple | list)
    items = rule.value if several else (rule.value,)
    shown = [_value(item, rule, field, registry, lang) for item in items]
    if rule.operator == "between" and len(shown) == _PAIR:
        return say("tree.between", lang, low=shown[0], high=shown[1])
    value = join(shown, lang, last="or")
    if rule.operator in _NEGATED:
        return say("tree.not_any" if len(shown) > 1 else "tree.not", lang, value=value)
    if (
        rule.operator in _PLAIN
        or rule.operator.startswith("vocab_")
        or not rule.operator
    ):
        return value
    return say(f"tree.{rule.operator}", lang, value=value)


def _value(value: Any, rule: Rule, field: Field, registry: Registry, lang: str) -> str:
    """Show one value; one that could not be read is shown as it was said."""
    if isinstance(value, bool):
        return say("tree.yes" if value else "tree.no", lang)
    if isinstance(value, int | float):
        return _amount(value, field, lang)
    try:
        return _shown(value, rule, field, registry.manifest.zone, lang)
    except (ValueError, KeyError):
        return str(value)


def _shown(value: Any, rule: Rule, field: Field, zone: str, lang: str) -> str:
    if rule.operator == "in_period":
        return named(value, lang)
    if field.type is FieldType.ORIENTATION:
        return str(words(lang, f"orientation/{value}")[0])
    if field.type is FieldType.COLOUR:
        code = value["hex"] if isinstance(value, dict) else value
        return f"{name_of(parse_colour(code), lang)} ({code})"
    if field.type in DAYS:
        return _moment(value, zone, lang)
    return _label(str(value), field, lang)


def _amount(value: float, field: Field, lang: str) -> str:
    number = format_number(value, lang)
    if field.currency:
        names = words(lang, "currencies").get(field.currency, [field.currency])
        return f"{number}\N{NO-BREAK SPACE}{names[0]}"
    return f"{number}\N{NO-BREAK SPACE}{field.unit}" if field.unit else number


def _moment(value: str, zone: str, lang: str) -> str:
    if "T" not in value:
        return format_date(date.fromisoformat(value), lang)
    local = datetime.fromisoformat(value).astimezone(ZoneInfo(zone))
    return f"{format_date(local.date(), lang)} {local:%H:%M}"


def _label(value: str, field: Field, lang: str) -> str:
    chosen = next((c for c in field.choices or () if value in (c.value, c.code)), None)
    label = chosen.labels.get(lang, chosen.value) if chosen else value
    return quote(label, lang) if field.type in _WRITTEN else label
