"""Where the house's files stand, and the template as data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "shared" / "vitrine"
HANDLERS = {p.parent.name: p for p in sorted(ROOT.glob("functions/*/handler.py"))}


class Loader(yaml.SafeLoader):
    """Read CloudFormation's short tags as their bare values."""


def _short(loader: yaml.SafeLoader, _: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.ScalarNode):
        return loader.construct_scalar(node)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return loader.construct_mapping(node, deep=True)  # type: ignore[arg-type] # the third kind


Loader.add_multi_constructor("!", _short)


def template() -> dict[str, Any]:
    """Read the template."""
    text = (ROOT / "template.yaml").read_text()
    return dict(yaml.load(text, Loader))  # noqa: S506 - derived from the safe loader


def functions() -> dict[str, dict[str, Any]]:
    """Give each function's properties by the name of its folder."""
    found = template()["Resources"].values()
    bodies = [r["Properties"] for r in found if r["Type"].endswith("::Function")]
    return {Path(body["CodeUri"]).name: body for body in bodies}


def environment(name: str) -> set[str]:
    """List the variables that a function gets."""
    own = functions()[name]["Environment"]["Variables"]
    shared = template()["Globals"]["Function"]["Environment"]["Variables"]
    return {*own, *shared}


def routes(name: str) -> set[str]:
    """List a function's routes as the template has them."""
    events = functions()[name].get("Events", {}).values()
    http = [e["Properties"] for e in events if e["Type"] == "HttpApi"]
    return {f"{p['Method']} {p['Path']}" for p in http}
