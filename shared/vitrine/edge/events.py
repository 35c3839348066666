"""Events that other functions and people send to one of ours, checked like any body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from vitrine.problems import Fault, Invalid

_Event = TypeVar("_Event", bound=BaseModel)


def event_of(kind: type[_Event], sent: Mapping[str, Any]) -> _Event:
    """Read an event; raise ``Invalid`` with a pointer for each fault."""
    try:
        return kind.model_validate(sent)
    except ValidationError as error:
        faults = [
            Fault("/" + "/".join(map(str, e["loc"])), e["type"], e["msg"])
            # Without what was sent: a record may hold what no log may keep.
            for e in error.errors(include_input=False)
        ]
        raise Invalid(faults) from None
