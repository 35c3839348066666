"""Observed values of a field: what a prompt, a remedy and the lexicon may quote.

Samples come from rows that the profile may see, and never from a sensitive field.
"""

from __future__ import annotations

from dataclasses import dataclass

VALUES = 25
LABELS = 50


@dataclass(frozen=True, slots=True)
class Sample:
    """The most frequent values, the extent of numbers and dates, and labels.

    ``values`` are the top 25 by frequency; ``labels`` up to 50 of a vocabulary;
    ``low`` and ``high`` are numbers in the field's unit or ISO dates.
    """

    values: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    low: float | str | None = None
    high: float | str | None = None


NOTHING = Sample()
