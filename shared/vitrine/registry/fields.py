"""One field of a source, and the values of its closed list."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints, model_validator

from vitrine.registry.operators import FieldType

Key = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*(\.[a-z0-9_]+)*$")]
Code = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]{1,32}$")]
Language = Annotated[str, StringConstraints(pattern=r"^[a-z]{2}$")]


class Strict(BaseModel):
    """A frozen model that refuses unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Choice(Strict):
    """One value of a closed list: what is stored, its opaque code, its labels."""

    value: str
    code: Code
    labels: dict[Language, str] = {}


class Field(Strict):
    """What a manifest says of one field.

    ``column`` is where the engine keeps it: a column's name, or ``meta:key`` for a
    tenant-defined value in jsonb; the key itself where nothing is said.
    ``unit`` is the unit of the stored number, ``currency`` its ISO 4217 code;
    money is stored in cents.
    ``steps`` are the bounds to which a capped profile's numeric limits snap.
    ``choices`` is the complete closed list, or None where the list is open.
    ``bits`` is the width of a stored whole number.
    """

    key: Key
    type: FieldType
    label: dict[Language, str]
    group: str = ""
    multi: bool = False
    unit: str | None = None
    currency: Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")] | None = None
    keywords: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    priority: bool = False
    sensitive: bool = False
    steps: tuple[float, ...] = ()
    column: str | None = None
    choices: tuple[Choice, ...] | None = None
    integer: bool = False
    bits: Literal[32, 64] = 64

    @model_validator(mode="after")
    def _consistent(self) -> Field:
        numeric = self.type is FieldType.NUMBER
        if not numeric and (self.unit or self.currency or self.steps or self.integer):
            message = f"{self.key}: unit, currency, steps and integer need a number"
            raise ValueError(message)
        if self.unit and self.currency:
            message = f"{self.key}: a number has a unit or a currency, not both"
            raise ValueError(message)
        if self.bits == 32 and not self.integer:  # noqa: PLR2004 - a width
            message = f"{self.key}: 32 bits are for whole numbers"
            raise ValueError(message)
        return self

    def named(self, language: str) -> str:
        """Give the label in a language, else in English, else in any."""
        return self.label.get(language) or self.label.get("en") or self.key

    @property
    def place(self) -> str:
        """Say where the engine keeps the value."""
        return self.column or self.key
