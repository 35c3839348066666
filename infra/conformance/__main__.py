"""Run the official suite and real clients: ``python -m infra.conformance``.

Node and the packages come from npm, the adapters of other frameworks from PyPI, into
``build/conformance`` and pinned; nothing of them is a dependency of the product.
The last line is JSON: ``passed``, ``failed`` (unexpected only), ``expected``.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from infra.conformance import clients, kits
from infra.local.folders import ROOT
from infra.local.stack import Stack

HERE = Path(__file__).parent
BUILD = ROOT / "build" / "conformance"
SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
CLIENTS = (kits.INSPECTOR, kits.TYPESCRIPT, kits.MODERN)
BROUGHT = (kits.NODE, SUITE, *(f"{name}@{kits.PINS[name]}" for name in CLIENTS))
REVISIONS = ("2026-07-28", "2025-11-25")
SECONDS = 300


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one revision's run came to; ``unexpected`` names what should have passed."""

    revision: str
    passed: int
    expected: int
    unexpected: tuple[str, ...]


def install() -> Path:
    """Bring Node and the suite once, by npm; give the folder of their commands."""
    bin_ = BUILD / "node_modules" / ".bin"
    mark = BUILD / f"ready-{sha256(' '.join(BROUGHT).encode()).hexdigest()[:12]}"
    if not mark.exists():
        kits.npm(BUILD, list(BROUGHT))
        mark.touch()
    return bin_


def run(bin_: Path, url: str, revision: str) -> Outcome:
    """Run the scenarios that a revision requires."""
    results = BUILD / revision
    shutil.rmtree(results, ignore_errors=True)
    baseline = HERE / f"expected-{revision}.yml"
    command: list[str | Path] = [
        bin_ / "node",
        bin_ / "conformance",
        "server",
        "--url",
        url,
    ]
    command += ["--requirements", revision, "--expected-failures", baseline]
    done = subprocess.run(
        [*command, "-o", results],
        cwd=BUILD,
        env=os.environ | {"HOME": str(BUILD)},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    outcome = judged(revision, results, baseline.read_text(encoding="utf-8"))
    if done.returncode or outcome.unexpected:
        print(done.stdout[-4_000:], done.stderr[-2_000:])
    stale = () if done.returncode == 0 else (f"{revision}: exit {done.returncode}",)
    return Outcome(
        revision,
        outcome.passed,
        outcome.expected,
        outcome.unexpected or stale,
    )


def judged(revision: str, results: Path, baseline: str) -> Outcome:
    """Count a run's scenarios by the checks that it left."""
    awaited = set(re.findall(r"^\s+- ([\w-]+)", baseline, re.MULTILINE))
    scored = required(revision)
    passed: set[str] = set()
    failed: set[str] = set()
    for scenario, checks in left(results):
        if scenario in scored:
            bad = [c for c in checks if c["status"] in {"FAILURE", "WARNING"}]
            (failed if bad else passed).add(scenario)
    unexpected = sorted((failed - awaited) | (scored - passed - failed))
    return Outcome(revision, len(passed), len(failed & awaited), tuple(unexpected))


def required(revision: str) -> set[str]:
    """Read the scenarios that a revision requires of servers."""
    package = BUILD / "node_modules" / "@modelcontextprotocol" / "conformance"
    text = (package / "requirements" / f"{revision}.yaml").read_text(encoding="utf-8")
    servers = text.partition("\nserver:\n")[2].partition("\n\n")[0]
    return set(re.findall(r"^\s+- ([\w-]+)", servers, re.MULTILINE))


def left(results: Path) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield each scenario with its checks, as the suite wrote them."""
    for path in sorted(results.rglob("checks.json")):
        name = re.sub(r"^server-|-\d{4}-\d\d-\d\dT.*$", "", path.parent.name)
        yield name, json.loads(path.read_text(encoding="utf-8"))


def main() -> int:
    """Run both revisions and the clients; fail where anything failed unexpectedly."""
    bin_ = install()
    with Stack(HERE / "template.yaml", parts=("gateway",), extra=path()) as stack:
        outcomes = [run(bin_, f"{stack.url}/mcp", revision) for revision in REVISIONS]
    for outcome in outcomes:
        said = f"{outcome.passed} passed, {outcome.expected} failed as expected"
        print(f"{outcome.revision}: {said}, unexpected: {list(outcome.unexpected)}")
    faults = clients.run(bin_, BUILD)
    print("clients: " + ("; ".join(faults) or "all did what they should"))
    failed = sum(len(outcome.unexpected) for outcome in outcomes) + len(faults)
    told = {
        "passed": sum(outcome.passed for outcome in outcomes),
        "failed": failed,
        "expected": sum(outcome.expected for outcome in outcomes),
    }
    print(json.dumps(told))
    return int(failed > 0)


def path() -> dict[str, str]:
    """Let the fixture function find the fixtures: the repository and its layer."""
    return {"PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "shared")))}


if __name__ == "__main__":
    sys.exit(main())
