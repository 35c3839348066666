"""A first look at all records, before anything is made: counts, values, faults, memory.

Closed lists that are gathered get their values here. A value that is published keeps
its code for ever; a new one gets the next code that nobody has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from vitrine.problems import Fault, Invalid
from vitrine.registry.fields import Choice, Field
from vitrine.registry.manifest import Manifest
from vitrine.typesense import names
from vitrine.typesense.encode import Press
from vitrine.typesense.records import Record, publishable, reader
from vitrine.typesense.schema import schema

PER_ENTRY = 21
"""Bytes of memory for each indexed value or word of a document (measured on 0.24.1:
20 and 21 with two profiles of 30,000 products)."""
PER_COLLECTION = 8_000_000
"""Bytes that a collection takes before it has grown (measured in the same runs)."""
MOST_CHOICES = 20_000
_CODE = 10


@dataclass(slots=True)
class Survey:
    """What a look at the records found."""

    records: int = 0
    published: int = 0
    faults: list[Fault] = field(default_factory=list)
    values: dict[str, set[str]] = field(default_factory=dict)
    entries: dict[str, int] = field(default_factory=dict)
    """Indexed values and words of all documents, by profile."""

    @property
    def held_back(self) -> int:
        """Count the records that may not be published."""
        return self.records - self.published

    @property
    def memory(self) -> dict[str, int]:
        """Estimate the server's memory for each profile, in bytes."""
        return {p: PER_COLLECTION + n * PER_ENTRY for p, n in self.entries.items()}


def gather(records: Iterable[Record], manifest: Manifest) -> Survey:
    """Count the records and collect the values of the gathered lists."""
    survey, wanted = Survey(), publishable(manifest)
    found = [(f, reader(manifest, f)) for f in _gathered(manifest)]
    survey.values = {f.key: set() for f, _ in found}
    for record in records:
        survey.records += 1
        if not wanted(record):
            continue
        survey.published += 1
        for one, read in found:
            survey.values[one.key].update(str(v) for v in read(record))
    return survey


def weigh(records: Iterable[Record], press: Press, survey: Survey) -> None:
    """Encode every record as a rehearsal: faults, and what the server would index."""
    wanted = publishable(press.registries[0].manifest)
    tested = [{f["name"] for f in schema(r, "")["fields"]} for r in press.registries]
    totals = [0] * len(tested)
    for record in filter(wanted, records):
        try:
            documents = press.documents(record)
        except Invalid as problem:
            survey.faults.extend(problem.faults)
            continue
        for number, document in enumerate(documents):
            indexed = (v for k, v in document.items() if k in tested[number])
            totals[number] += sum(map(_entries, indexed))
    profiles = (registry.profile for registry in press.registries)
    survey.entries = dict(zip(profiles, totals, strict=True))


def _entries(value: Any) -> int:
    if isinstance(value, list):
        return len(value)
    return len(value.split()) if isinstance(value, str) else 1


def closed(manifest: Manifest, survey: Survey, published: Manifest | None) -> Manifest:
    """Give the manifest with its gathered lists closed; no value loses its code."""
    fields = [
        _listed(f, survey.values[f.key], _known(published, f.key))
        if f.key in survey.values
        else f
        for f in manifest.fields
    ]
    return manifest.model_copy(update={"fields": tuple(fields)})


def _gathered(manifest: Manifest) -> list[Field]:
    return [f for f in manifest.fields if f.key in manifest.origin.gathered]


def _known(published: Manifest | None, key: str) -> tuple[Choice, ...]:
    old = published.field(key) if published else None
    return (old.choices or ()) if old else ()


def _listed(one: Field, values: Iterable[str], known: Iterable[Choice]) -> Field:
    """Close a list: what is published, what the manifest says, then what is new.

    Labels are the manifest's; codes are the published ones, else the manifest's.
    """
    choices = {choice.value: choice for choice in known}
    for choice in one.choices or ():
        old = choices.get(choice.value)
        code = old.code if old else choice.code
        choices[choice.value] = choice.model_copy(update={"code": code})
    taken = {choice.code for choice in choices.values()}
    for value in sorted(set(values) - choices.keys()):
        choices[value] = Choice(value=value, code=_code(value, taken))
        taken.add(choices[value].code)
    if len(choices) > MOST_CHOICES:
        message = f"{one.key}: more than {MOST_CHOICES} values are no closed list."
        raise Invalid([Fault(f"/origin/gathered/{one.key}", "too_many", message)])
    return one.model_copy(update={"choices": tuple(choices.values())})


def _code(value: str, taken: set[str]) -> str:
    """Give a new code that follows from the value, and clashes with no other."""
    salted = value
    while (code := "v" + names.digest(salted)[:_CODE]) in taken:
        salted += "\x1f"
    return code


def choices_of(manifest: Manifest) -> Mapping[str, list[dict[str, Any]]]:
    """Give the gathered lists as JSON, for a later try of the same run."""
    gathered = _gathered(manifest)
    return {f.key: [c.model_dump() for c in f.choices or ()] for f in gathered}


def with_choices(
    manifest: Manifest, lists: Mapping[str, Iterable[Mapping[str, Any]]]
) -> Manifest:
    """Give the manifest with the lists that an earlier try has gathered."""
    fields = [
        f.model_copy(
            update={"choices": tuple(Choice.model_validate(c) for c in lists[f.key])}
        )
        if f.key in lists
        else f
        for f in manifest.fields
    ]
    return manifest.model_copy(update={"fields": tuple(fields)})
