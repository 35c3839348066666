"""`python -m infra.local run | token | consent | desk | invoke`: a stack, its commands.

`run` seeds the demo, prints what to paste and stays until Ctrl-C or SIGTERM.
The others command the youngest stack that this user is running.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.util
import json
import os
import shlex
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from infra.local import control, surroundings, typesense
from infra.local.stack import LAYER, TEMPLATE, Stack

if TYPE_CHECKING:
    from collections.abc import Sequence

SEED = "infra.local.seed"
# What a demo token may do and see, unless the seed says better.
DEMO = {"tenant": "demo", "user": "visitor", "profile": "closed"}
MODEL = {
    "base_url": "VITRINE_MODEL_URL",
    "key": "VITRINE_MODEL_KEY",
    "model": "VITRINE_MODEL_NAME",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    given = _parser().parse_args(arguments)
    surroundings.shield()
    try:
        return int(given.command(given))
    except (control.NoStack, control.OrderRefused) as error:
        print(error, file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m infra.local")
    commands = parser.add_subparsers(required=True)
    run = commands.add_parser("run", help="keep a stack up until Ctrl-C")
    run.set_defaults(command=_run)
    run.add_argument("--template", type=Path, default=TEMPLATE, help="what to serve")
    run.add_argument("--bare", action="store_true", help="seed no demo data")
    token = commands.add_parser("token", help="print a token, a visitor's by default")
    token.set_defaults(command=_token)
    for name in ("tenant", "account", "user", "client", "scope", "actor"):
        token.add_argument(f"--{name}")
    token.add_argument("--seconds", type=float, help="how long it is valid")
    token.add_argument(
        "--profile", action="append", help="`closed`, or `source=profile` repeatedly"
    )
    consent = commands.add_parser("consent", help="print a link to let a client write")
    consent.set_defaults(command=_consent)
    for name in ("tenant", "client", "scope"):
        consent.add_argument(f"--{name}", required=True)
    consent.add_argument("--user", default="", help="for whom the client asks")
    consent.add_argument("--admin", default="administrator", help="who decides")
    desk = commands.add_parser("desk", help="print what publishing needs, for eval")
    desk.set_defaults(command=_desk)
    invoke = commands.add_parser("invoke", help="send a function an event")
    invoke.set_defaults(command=_invoke)
    invoke.add_argument("function", help="its name in template.yaml")
    invoke.add_argument("event", nargs="?", type=json.loads, help="JSON; else a tick")
    return parser


def _token(given: argparse.Namespace) -> int:
    names = ("tenant", "account", "user", "client", "scope", "actor", "seconds")
    claims = {name: value for name in names if (value := getattr(given, name))}
    if given.profile:
        claims["profile"] = profiles(given.profile)
    print(control.newest().ask("/token", claims))
    return 0


def _consent(given: argparse.Namespace) -> int:
    names = ("tenant", "client", "scope", "user", "admin")
    wish = {name: getattr(given, name) for name in names}
    print(control.newest().ask("/consent", wish))
    return 0


def _desk(_: argparse.Namespace) -> int:
    for name, value in control.newest().ask("/desk", {}).items():
        print(f"export {name}={shlex.quote(value)}")
    return 0


def profiles(given: Sequence[str]) -> str | dict[str, str]:
    """Return one profile for every source, or a mapping by source."""
    if len(given) == 1 and "=" not in given[0]:
        return given[0]
    if not all("=" in each for each in given):
        raise SystemExit("several profiles need `source=profile` each")
    return dict(each.split("=", 1) for each in given)


def _invoke(given: argparse.Namespace) -> int:
    answer = control.newest().ask(f"/invoke/{given.function}", given.event)
    print(json.dumps(answer, ensure_ascii=False, indent=2))
    return 0


def _run(given: argparse.Namespace) -> int:
    for number in (signal.SIGINT, signal.SIGTERM):  # also where a shell ignores them
        signal.signal(number, signal.default_int_handler)
    with (
        contextlib.suppress(KeyboardInterrupt),
        Stack(given.template, model=_model()) as stack,
        control.announced(stack.run_file),
    ):
        claims = DEMO if given.bare else _seeded(stack)
        stack.control.visitor = claims
        print(_welcome(stack, stack.token(**claims)), flush=True)
        threading.Event().wait()
    return 0


def _model() -> dict[str, str]:
    """Return the model provider that the environment names, if it names one."""
    found = {name: os.environ.get(variable, "") for name, variable in MODEL.items()}
    return found if found["key"] else {}


def _seeded(stack: Stack) -> dict[str, Any]:
    """Seed the demo where there is one, and return the claims of its visitor."""
    if importlib.util.find_spec(SEED) is None:
        return DEMO
    sys.path.insert(0, str(LAYER))  # manifests are the layer's models
    found = importlib.import_module(SEED).seed(stack)
    return dict(found or DEMO)


def _welcome(stack: Stack, token: str) -> str:
    ask = f"curl -s {stack.url}/v1"
    sent = f"-H 'authorization: Bearer {token}' -H 'content-type: application/json'"
    rule = {"field": "full_text_search", "operator": "keyword_search", "value": "lamp"}
    tree = {"type": "group", "operator": "and", "rules": [rule]}
    bodies = {
        "interpret": {"source": "media", "message": "une forêt calme, en paysage"},
        "validate": {"source": "products", "tree": tree},
        "execute": {"source": "products", "tree": tree},
    }
    curls = [
        f"{ask}/{name} {sent} -d '{json.dumps(body)}'" for name, body in bodies.items()
    ]
    lines = [
        f"gateway     {stack.url}",
        f"issuer      {stack.issuer.url}",
        f"postgres    {stack.dsn}",
        f"typesense   {stack.typesense_url or typesense.ABSENT}",
        f"aws         {stack.aws_url}",
        f"logs        {stack.folder}",
        f"token       {token}",
        "",
        *curls,
        "",
        "Ctrl-C stops it.",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
