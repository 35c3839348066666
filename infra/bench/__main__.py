"""Measure a part of the product: ``python -m infra.bench NAME …``; JSON comes last."""

from __future__ import annotations

import json
import sys
from importlib import import_module

from infra.bench.files import Unfit
from infra.local.folders import ROOT

BENCHES = {
    "explain": "an empty search of PostgreSQL explained, over one that finds",
    "interpret": "sentences to filters, on files of the common form",
    "mcp": "a trivial tool over the bare SDK, a search over HTTP's",
    "merge": "dialogues replayed through merge, on files of the common form",
    "near": "searches near a colour over equalities, in a large library",
    "pages": "page 1,000 of a large library over page 1",
    "parity": "random trees: oracle = PostgreSQL = Typesense",
    "prompt": "how long a prompt gets, and whether it shows the fields that are meant",
    "rank": "a judged collection ranked on PostgreSQL",
    "sample": "samples of 500 definitions: read by a request, and observed",
    "search": "the execute handler over the bare request to its engine",
    "timing": "whether the clock tells what is hidden from what is absent",
    "tree": "what checking and compiling a tree costs, in milliseconds",
}


def main(arguments: list[str]) -> int:
    """Run one bench by its name."""
    if not arguments or arguments[0] not in BENCHES:
        for name, about in BENCHES.items():
            print(f"python -m infra.bench {name:12} {about}")
        return 2
    sys.path.insert(0, str(ROOT / "shared"))  # what is measured is the layer's
    run = import_module(f"infra.bench.{arguments[0]}").main
    try:
        return int(run(arguments[1:]))
    except (Unfit, OSError) as error:
        # The last line is JSON whatever happens: who reads it reads no traceback.
        print(error, file=sys.stderr)
        print(json.dumps({"error": str(error)}))
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
