"""Measure the prompt: how long it gets, and whether it shows the fields that are meant.

    python -m infra.bench prompt [--data DIR] [--misses]

A tenant of this bench's own has 48 definitions, then 500, each with labels and values
in two languages; its prompt is built for the longest message, history and tree there
may be, and for short ones. Sentences then speak of its fields by label, key, keyword
and value, in plurals and without accents: ``field_recall`` is the share of the meant
fields that are among the 25 shown. With ``--data`` the sentences of that folder's
``*.dev.jsonl`` are counted, too, each in its own registry. ``filled`` is apart and
harder than any tenant: their fields stand, unnamed and last, behind so many others
that 500 are defined. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from infra.bench.files import document, each
from infra.bench.forms import Known, gold, known, named
from vitrine.interpret.prompt import Situation, build, characters
from vitrine.interpret.selector import selected
from vitrine.language.folding import fold
from vitrine.lexicon.read import read
from vitrine.registry.profiles import Registry, registry_for
from vitrine.session import Message
from vitrine.tree.model import EMPTY, Group, Rule, leaves

TODAY = date(2026, 11, 30)
SMALL, LARGE = 48, 500
TABLES = 10
"""Files of tables have a registry for each sentence: so many are filled up."""
THINGS = {
    "frame": "cadre", "sleeve": "manche", "engine": "moteur", "battery": "batterie",
    "screen": "écran", "handle": "poignée", "lining": "doublure", "wheel": "roue",
    "cable": "câble", "drawer": "tiroir", "lens": "objectif", "pocket": "poche",
    "roof": "toit", "filter": "filtre", "motor": "propulseur", "shelf": "étagère",
    "valve": "vanne", "collar": "col", "pedal": "pédale", "hinge": "charnière",
    "panel": "panneau", "strap": "sangle", "burner": "brûleur", "blade": "lame",
    "cover": "couverture",
}  # fmt: skip
TRAITS = {
    "finish": "finition", "pattern": "motif", "origin": "provenance",
    "warranty": "garantie", "texture": "texture", "supplier": "fournisseur",
    "rating": "évaluation", "thickness": "épaisseur", "hardness": "dureté",
    "power": "puissance", "closure": "fermeture", "certificate": "certificat",
    "grade": "qualité", "coating": "revêtement", "capacity": "contenance",
    "tension": "tension", "assembly": "montage", "cleaning": "entretien",
    "edition": "édition", "resistance": "résistance",
}  # fmt: skip
SYLLABLES = [a + b for a in "bcdfglmnprstvz" for b in "aeiou"]
TYPES = ("vocabulary", "vocabulary", "number", "text", "date", "boolean")
SAID = {
    "en": ("with a special {what}", "which {what}?", "{what} please"),
    "fr": ("avec une {what} particulière", "quelle {what} ?", "je voudrais {what}"),
}
Meant = tuple[str, str, frozenset[str]]
"""A message, its language, and the keys of the fields it speaks of."""


@dataclass(slots=True)
class Tally:
    """Fields that were meant, and those of them that were shown."""

    meant: int = 0
    shown: int = 0
    missed: list[str] = field(default_factory=list)

    def add(self, message: str, wanted: Iterable[str], shown: Iterable[str]) -> None:
        """Count one sentence."""
        wanted, shown = set(wanted), set(shown)
        self.meant += len(wanted)
        self.shown += len(wanted & shown)
        self.missed += [f"{key}: {message}" for key in sorted(wanted - shown)]

    @property
    def recall(self) -> float:
        """Give the share that was shown."""
        return self.shown / self.meant if self.meant else 1.0


def definitions(count: int) -> list[dict[str, Any]]:
    """Draw definitions in the files' common form, the same each time."""
    rng = Random(48_500)
    pairs = [(thing, trait) for trait in TRAITS for thing in THINGS]
    rng.shuffle(pairs)
    return [_definition(n, *pair, rng) for n, pair in enumerate(pairs[:count])]


def _definition(number: int, thing: str, trait: str, rng: Random) -> dict[str, Any]:
    kind = TYPES[number % len(TYPES)]
    words = [_word(rng) for _ in range(60)]
    return {
        "key": f"{thing}_{trait}",
        "label": {
            "en": f"{trait} of the {thing}",
            "fr": f"{TRAITS[trait]} de la {THINGS[thing]}",
        },
        "type": kind,
        "values": words if kind in {"vocabulary", "text"} else [],
    }


def _word(rng: Random) -> str:
    return "".join(rng.choice(SYLLABLES) for _ in range(4))


@cache
def tenant(count: int) -> Known:
    """Give the bench's own tenant with so many definitions, six of them first."""
    of = known(definitions(count))
    keys = list(of.keys.values())
    first, samples = keys[:6], {key: of.registry.sample(key) for key in keys}
    manifest = of.registry.manifest
    fields = [
        f.model_copy(update={"priority": f.key in first}) for f in manifest.fields
    ]
    flagged = manifest.model_copy(update={"fields": tuple(fields)})
    whole = registry_for(flagged, "trusted", tenant="bench", samples=samples)
    return replace(of, registry=whole)


def sentences(count: int) -> Iterator[Meant]:
    """Say each definition by its labels, key and values, plainly and otherwise."""
    rng = Random(7)
    listed = definitions(count)
    for number, one in enumerate(listed):
        key = one["key"]
        for lang in ("en", "fr"):
            asked = SAID[lang][number % 3]
            for what in _spellings(one["label"][lang]):
                yield asked.format(what=what), lang, frozenset({key})
        yield key.replace("_", " "), "en", frozenset({key})
        for value in rng.sample(one["values"], 2) if one["values"] else ():
            yield f"{value}, please", "en", frozenset({key})
        other = rng.choice(listed)
        both = f"{one['label']['en']} and {other['label']['en']}"
        yield both, "en", frozenset({key, other["key"]})


def _spellings(label: str) -> list[str]:
    first, _, rest = label.partition(" ")
    return [label, fold(label), f"{first}s {rest}", label.upper()]


def longest(registry: Registry) -> Situation:
    """Give the fullest history and tree there may be."""
    keys = [key for key in registry.filters if key != "full_text_search"]
    rules = [Rule(key, "in", ("z" * 200,) * 9) for key in keys[:90]]
    history = tuple(Message("user", "y" * 2_000) for _ in range(10))
    return Situation("fr", TODAY, Group("and", tuple(rules)), history)


def lengths(registry: Registry) -> list[int]:
    """Count the characters of whole prompts: plain, and as long as they get."""
    full, plain = longest(registry), Situation("en", TODAY)
    messages = ("finish of the frame", "x" * 2_000)
    return [
        characters(build(message, registry, situation))
        for situation in (plain, full)
        for message in messages
    ]


def own() -> Tally:
    """Measure the selector on the bench's own tenant."""
    tally, of = Tally(), tenant(LARGE)
    for message, _, keys in sentences(LARGE):
        shown = selected(message, of.registry, EMPTY)
        tally.add(message, (of.keys[k] for k in keys), (f.key for f in shown))
    return tally


def measured(file: Path, listed: Mapping[str, Any]) -> tuple[Tally, Tally]:
    """Measure a file's sentences: in their own registries, and in filled ones."""
    plain, filled, tables = Tally(), Tally(), 0
    made: dict[str, tuple[Known, Known | None]] = {}

    def one(example: Mapping[str, Any]) -> None:
        nonlocal tables
        fields, name = _fields(example, listed)
        tables += not name
        if name not in made or not name:
            wide = _filled(fields) if name or tables <= TABLES else None
            made[name] = known(fields), wide
        for message, before, keys in _meant(example, made[name][0]):
            for of, tally in zip(made[name], (plain, filled), strict=True):
                if of is None:
                    continue
                wanted = [of.keys[k] for k in keys if k in of.keys]
                focus = (
                    _read(message, of, example["lang"]) if tally is filled else EMPTY
                )
                shown = selected(message, of.registry, focus, before)
                tally.add(message, wanted, (f.key for f in shown))

    each(file, one)
    return plain, filled


def _read(message: str, of: Known, lang: str) -> Group:
    """Read a message with the lexicon, whose fields a turn's prompt shows, too."""
    return read(message, EMPTY, of.registry, today=TODAY, language=lang).delta


def _filled(fields: list[dict[str, Any]]) -> Known:
    """Put a registry's fields behind so many others that 500 are defined."""
    return known([*definitions(LARGE - len(fields)), *fields])


def _fields(
    example: Mapping[str, Any], listed: Mapping[str, Any]
) -> tuple[list[dict[str, Any]], str]:
    if "fields" in example:
        return example["fields"], ""
    if "registry" in example:
        name = example["registry"]
        about = named(listed, name)
        return (about if isinstance(about, list) else about["fields"]), name
    lang, names = example["lang"], example["registries"]
    of_language = named(listed, lang)
    fields = [f | {"group": n} for n in names for f in named(of_language, n)]
    return fields, f"{lang} {' '.join(names)}"


def _meant(
    example: Mapping[str, Any], of: Known
) -> Iterator[tuple[str, str, list[str]]]:
    """Give each message, what was said before it, and the keys that it newly means."""
    if "turns" not in example:
        yield (
            example["utterance"],
            "",
            _keys((example["gold"] or {}).get("rule_group"), of),
        )
        return
    held: set[str] = set()
    for turn in example["turns"]:
        told = turn["gold"]
        if told is not None and "delta" in told:
            keys = [e["field"] for e in told["delta"] if _theirs(e)]
        else:
            now = _keys((told or {}).get("rule_group"), of)
            keys = [k for k in now if k not in held]
            held = set(now)
        yield turn["utterance"], turn.get("system") or "", keys


def _theirs(edit: Mapping[str, Any]) -> bool:
    """Leave out what the person only took from the assistant's offer."""
    said = edit.get("from", "user") == "user"
    return bool(said and edit["op"] != "remove")


def _keys(group: Any, of: Known) -> list[str]:
    back = {ours: theirs for theirs, ours in of.keys.items()}
    return [back[rule.field] for _, rule in leaves(gold(group, of))]


def main(arguments: list[str]) -> int:
    """Measure lengths and recall; print the figures."""
    parser = argparse.ArgumentParser(prog="python -m infra.bench prompt")
    parser.add_argument("--data", type=Path, help="a folder of *.dev.jsonl")
    parser.add_argument("--misses", action="store_true", help="print what was missed")
    given = parser.parse_args(arguments)
    small, large = (lengths(tenant(n).registry) for n in (SMALL, LARGE))
    tallies, filled = {"own": own()}, {}
    for file in sorted(given.data.glob("*.dev.jsonl")) if given.data else ():
        name = file.name.removesuffix(".dev.jsonl")
        tallies[name], filled[name] = measured(file, _listed(file))
    if given.misses:
        print(*(f"{n}  {m}" for n, t in tallies.items() for m in t.missed), sep="\n")
    meant = sum(t.meant for t in tallies.values())
    shown = sum(t.shown for t in tallies.values())
    figures = {
        "chars_48": max(small),
        "chars_500": max(large),
        "ratio": round(max(b / a for a, b in zip(small, large, strict=True)), 3),
        "fields": meant,
        "field_recall": round(shown / meant, 4),
        "by_set": {name: round(t.recall, 4) for name, t in tallies.items()},
        "filled": {name: round(t.recall, 4) for name, t in filled.items()},
    }
    print(json.dumps(figures))
    return 0


def _listed(file: Path) -> Mapping[str, Any]:
    name = file.name.partition(".")[0].partition("_")[0]
    registries = file.with_name(f"{name}.registries.json")
    return document(registries) if registries.exists() else {}
