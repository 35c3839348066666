"""Score an interpreter on sentences with gold filters; one JSON line comes last.

    python -m infra.bench interpret FILE.jsonl [--registries FILE] [--catalogues DIR]
        [--model lexicon|openrouter] [--misses]

Periods are turned into dates before trees are compared; where the records are given,
trees are also compared by what they find, which is the fairer judge.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from infra.bench.dialogues import Turns, fresh
from infra.bench.forms import Known, gold, known, lines
from infra.bench.results import hits, records
from infra.bench.scores import Score
from vitrine.interpret.turn import Means, interpret
from vitrine.language.periods import resolve_period
from vitrine.models.chat import Chat
from vitrine.models.openrouter import BASE, MODEL, OpenRouter
from vitrine.session import Session, Turn
from vitrine.tree.model import Group, Node, Rule

TODAY = date(2026, 11, 30)
"""The reference date of the files."""
DAY = timedelta(days=1)


@dataclass(slots=True)
class Bench:
    """What a run reads and how it shows what it missed."""

    registries: Mapping[str, Known]
    catalogues: Path | None
    chat: Chat | None
    misses: bool

    def read(self, message: str, of: Known, session: Session, lang: str) -> Turn:
        """Give the turn that the interpreter makes of a message."""
        outcome = interpret(
            message,
            session,
            of.registry,
            means=Means(time.monotonic, time.sleep, self.chat),
            today=TODAY,
            language=lang,
        )
        return outcome.turn


def main(arguments: list[str]) -> int:
    """Score one file and print the figures."""
    asked = _parser().parse_args(arguments)
    bench = Bench(
        _registries(asked.registries),
        asked.catalogues,
        _chat(asked.model),
        asked.misses,
    )
    scores: dict[str, Score] = {}
    turns: dict[str, Turns] = {}
    for example in lines(asked.file):
        lang = example["lang"]
        if "turns" not in example:
            _single(bench, example, scores.setdefault(lang, Score()))
            continue
        of = bench.registries[example["registry"]]
        turns.setdefault(lang, Turns()).dialogue(example, of, bench.read, dated)
    if bench.misses:
        print(*(miss for one in turns.values() for miss in one.missed), sep="\n")
    print(json.dumps(_summed(scores) | _joined(turns)))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m infra.bench interpret")
    parser.add_argument("file", type=Path)
    parser.add_argument("--registries", type=Path)
    parser.add_argument("--catalogues", type=Path)
    parser.add_argument("--model", choices=("lexicon", "openrouter"), default="lexicon")
    parser.add_argument("--misses", action="store_true", help="print what went wrong")
    return parser


def _chat(name: str) -> Chat | None:
    if name == "lexicon":
        return None
    return OpenRouter(
        key=os.environ["OPENROUTER_API_KEY"],
        base=os.environ.get("OPENROUTER_BASE_URL", BASE),
        model=os.environ.get("OPENROUTER_MODEL", MODEL),
    )


def _registries(path: Path | None) -> dict[str, Known]:
    if path is None:
        return {}
    listed = json.loads(path.read_text(encoding="utf-8"))
    return {name: known(about) for name, about in listed.items()}


def _single(bench: Bench, example: Mapping[str, Any], score: Score) -> None:
    of = bench.registries.get(example.get("registry", "")) or known(example["fields"])
    wanted = gold(example["gold"]["rule_group"], of)
    # the index of a registry is built at publish, not with the first sentence
    bench.read("x", of, fresh(of), example["lang"])
    start = time.perf_counter()
    found = bench.read(example["utterance"], of, fresh(of), example["lang"]).delta
    score.times.append((time.perf_counter() - start) * 1000)
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


def _summed(scores: Mapping[str, Score]) -> dict[str, Any]:
    total = Score()
    for score in scores.values():
        for name in ("n", "exact", "met", "said", "asked", "same", "judged", "times"):
            setattr(total, name, getattr(total, name) + getattr(score, name))
    by = {lang: score.figures for lang, score in scores.items()}
    return total.figures | {"by_lang": by}


def _joined(turns: Mapping[str, Turns]) -> dict[str, Any]:
    if not turns:
        return {}
    total = Turns()
    for one in turns.values():
        total.n, total.exact = total.n + one.n, total.exact + one.exact
        total.joint += one.joint
    by = {lang: one.figures for lang, one in turns.items()}
    return total.figures | {"by_lang": by}
