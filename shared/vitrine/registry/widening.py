"""What a new manifest opens that the published one kept closed, profile by profile.

Each widening is one line of plain text, the same for the same change, so that an
approval of the lines is an approval of nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from vitrine.registry.fields import Field
from vitrine.registry.manifest import ALL, Budget, Cap, Manifest, Profile

LISTS = ("filter", "facet", "sort", "search", "output")
APPROVAL = 16
DIGEST = 32
Published = Mapping[str, Manifest]
"""The manifest that each profile has now; a profile that is not published has none."""


def widenings(published: Published, new: Manifest) -> tuple[str, ...]:
    """List what the new manifest opens, in the manifest's order."""
    return tuple(
        line
        for name, profile in new.profiles.items()
        for line in _profile(name, published.get(name), new, profile)
    )


def approval(tenant: str, source: str, lines: tuple[str, ...]) -> str:
    """Give the word that approves these widenings, and no others."""
    content = json.dumps([tenant, source, sorted(lines)], ensure_ascii=False)
    return sha256(content.encode()).hexdigest()[:APPROVAL]


def digest(manifest: Manifest) -> str:
    """Name a manifest by all that it says, as it is checked and completed."""
    # Sorted, so that the order of keys in a file is no difference.
    content = json.dumps(manifest.model_dump(mode="json"), sort_keys=True)
    return sha256(content.encode()).hexdigest()[:DIGEST]


def public_fields(manifest: Manifest, name: str) -> tuple[str, ...]:
    """List the fields that a profile may use in any way, in the manifest's order."""
    profile = manifest.profiles.get(name)  # type: ignore[call-overload] # any name
    if profile is None:
        return ()
    used = {key for kind in LISTS for key in _keys(manifest, profile, kind)}
    return tuple(f.key for f in manifest.fields if f.key in used)


def _profile(
    name: str, old: Manifest | None, new: Manifest, profile: Profile
) -> Iterator[str]:
    before = old.profiles.get(name) if old else None  # type: ignore[call-overload] # any name
    if old is None or before is None:
        yield f"{name}: a new profile"
        before, old = Profile(budget=_NONE), None
    for kind in LISTS:
        known = set(_keys(old, before, kind)) if old else set()
        for key in _keys(new, profile, kind):
            if key not in known:
                yield f"{name}: {kind} {key}"
    yield from (f"{name}: {line}" for line in _limits(before, profile))
    if old:
        yield from (f"{name}: {line}" for line in _details(old, new))


_NONE = Budget(
    answer=1,
    pages=1,
    session=0,
    day=Cap(floor=0),
    month=Cap(floor=0),
    account_factor=1,
    facet_values=0,
    counts=0,
    misses=0,
)
"""What a profile that is not there may learn."""


def _keys(manifest: Manifest, profile: Profile, kind: str) -> tuple[str, ...]:
    keys: tuple[str, ...] = getattr(profile, kind)
    return tuple(f.key for f in manifest.fields) if ALL in keys else keys


def _limits(before: Profile, after: Profile) -> Iterator[str]:
    """Tell each cap that rises; a profile without a budget has none."""
    if before.budget is None:
        return
    if after.budget is None:
        yield "no budget"
        return
    old, new = _figures(before.budget), _figures(after.budget)
    yield from (f"{k} {old[k]:g} → {new[k]:g}" for k in new if new[k] > old[k])
    if after.k < before.k:
        yield f"k {before.k} → {after.k}"


def _figures(budget: Budget) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, value in budget.model_dump().items():
        if isinstance(value, dict):
            found |= {f"{name}.{part}": figure for part, figure in value.items()}
        else:
            found[name] = value
    return found


def _details(old: Manifest, new: Manifest) -> Iterator[str]:
    """Tell what a source opens beside its profiles' lists and caps."""
    for key in new.hit.identifiers:
        if key not in old.hit.identifiers:
            yield f"looked up by {key}"
    for key in old.hit.preview:
        if key not in new.hit.preview:
            yield f"{key} in full"
    if new.max_age > old.max_age and new.hit.perishable:
        yield f"max_age {old.max_age} → {new.max_age}"
    for place, values in old.origin.only.items():
        if not _within(new.origin.only.get(place), values):
            yield f"records whatever {place} is"
    known = {field.key: field for field in old.fields}
    for field in new.fields:
        if field.key in known:
            yield from _field(known[field.key], field)


def _within(new: tuple[Any, ...] | None, old: tuple[Any, ...]) -> bool:
    return new is not None and {repr(v) for v in new} <= {repr(v) for v in old}


def _field(old: Field, new: Field) -> Iterator[str]:
    if old.sensitive and not new.sensitive:
        yield f"{new.key} sampled"
    finer = set(new.steps) - set(old.steps)
    if old.steps and (finer or not new.steps):
        yield f"{new.key} in finer steps"
