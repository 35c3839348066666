"""A manifest as its owner wrote it: what is wrong with it is told by its place."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from vitrine.problems import Fault, Invalid
from vitrine.registry.manifest import Manifest


def manifest_at(path: Path) -> Manifest:
    """Read a manifest's file; raise ``Invalid`` with every fault that it has."""
    try:
        # With or without the mark that some editors put first.
        return Manifest.model_validate_json(path.read_text("utf-8-sig"))
    except ValidationError as error:
        faults = [
            Fault("/" + "/".join(map(str, e["loc"])), e["type"], e["msg"])
            for e in error.errors(include_input=False)
        ]
    except OSError as error:
        faults = [Fault("", "unreadable", str(error.strerror or error))]
    except UnicodeDecodeError:
        faults = [Fault("", "unreadable", "it is not UTF-8")]
    raise Invalid(faults, f"{path} is no manifest:")
