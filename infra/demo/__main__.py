"""`python -m infra.demo [--json]`: start the stack, tell the story, stop, exit 0."""

from __future__ import annotations

import argparse
import signal
import sys
import time

from infra.demo.stage import Screen, Stage, StoryBroken
from infra.demo.story import SCENES, SHOP_SCENES
from infra.local import provider, seed, typesense
from infra.local.stack import Stack


def main() -> int:
    """Play every scene; give 1 where one does not hold."""
    parser = argparse.ArgumentParser(prog="python -m infra.demo")
    parser.add_argument("--json", action="store_true", help="print JSON lines")
    screen = Screen(as_json=parser.parse_args().json)
    begun = time.monotonic()
    screen.note("Starting PostgreSQL, Typesense, DynamoDB, an issuer and the gateway…")
    with provider.serve() as model, Stack(extra=EXTRA) as stack:
        seed.seed(stack)
        screen.note(f"Ready and seeded after {time.monotonic() - begun:.0f} s.")
        stage = Stage(stack, model)
        try:
            for title, scene in SCENES:
                if stack.typesense is None and scene in SHOP_SCENES:
                    screen.note(f"\nLeft out: {title}. {typesense.ABSENT}")
                    continue
                screen.show(title, scene(stage))
        except StoryBroken as broken:
            print(f"\nThe story breaks: {broken}", file=sys.stderr)
            return 1
    screen.note(f"\nEvery claim held; {time.monotonic() - begun:.0f} s in all.")
    return 0


EXTRA = {
    # A hundredth of a cent a day, so that one model's answer spends it.
    "VITRINE_DAILY_CAP": "100",
    "VITRINE_SCOPES": seed.VISITOR["scope"],
}

if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:  # the stack is gone by now
        sys.exit(128 + signal.SIGINT)
