"""A manifest as one profile sees it: the registry that every other room reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from vitrine.problems import Forbidden
from vitrine.registry.capabilities import EngineName, runnable, sortable
from vitrine.registry.fields import Field
from vitrine.registry.manifest import ALL, Budget, Manifest, Profile, ProfileName
from vitrine.registry.operators import FULL_TEXT_FIELD, FieldType
from vitrine.registry.samples import NOTHING, Sample

_FULL_TEXT = Field(
    key=FULL_TEXT_FIELD,
    type=FieldType.FULL_TEXT,
    label={"en": "text", "fr": "texte"},
    priority=True,
)


@dataclass(frozen=True, slots=True)
class Registry:
    """The fields of a source that one profile can use, and for what.

    ``filters`` is keyed by field and includes ``full_text_search`` where the
    profile may search; ``fields`` adds what may only be shown.
    ``documents`` is the size of the catalogue at the last publish.
    """

    tenant: str
    manifest: Manifest
    profile: ProfileName
    filters: Mapping[str, Field]
    fields: Mapping[str, Field]
    facets: tuple[str, ...]
    sorts: tuple[str, ...]
    searches: tuple[str, ...]
    outputs: tuple[str, ...]
    version: int = 0
    documents: int = 0
    samples: Mapping[str, Sample] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def source(self) -> str:
        """Name the source."""
        return self.manifest.source

    @property
    def engine(self) -> EngineName:
        """Name the engine that keeps the source."""
        return self.manifest.engine

    @property
    def grant(self) -> Profile:
        """Give the profile's lists and budget as the manifest states them."""
        return self.manifest.profiles[self.profile]

    @property
    def budget(self) -> Budget | None:
        """Give the budget, or None for an uncapped profile."""
        return self.grant.budget

    def sample(self, key: str) -> Sample:
        """Give what was observed of a field; nothing for a sensitive one."""
        return self.samples.get(key, NOTHING)

    def sampled(self, samples: Mapping[str, Sample]) -> Registry:
        """Give the same registry with other samples, of what the profile may filter."""
        kept = {k: s for k, s in samples.items() if k in self.filters}
        speakable = _speakable(kept, self.fields)
        return replace(self, samples=MappingProxyType(speakable))

    def operators(self, key: str) -> tuple[str, ...]:
        """List the operators of a filterable field on this engine."""
        return runnable(self.engine, self.filters[key].type)


def registry_for(
    manifest: Manifest,
    profile: str,
    *,
    tenant: str,
    version: int = 0,
    documents: int = 0,
    samples: Mapping[str, Sample] | None = None,
) -> Registry:
    """See a manifest as a profile; raise ``Forbidden`` where it grants none."""
    grant = next((p for n, p in manifest.profiles.items() if n == profile), None)
    if grant is None:
        raise Forbidden(f"The source {manifest.source!r} is not open to this profile.")
    lists = {
        "facets": _named(manifest, grant.facet),
        "sorts": _sorted(manifest, grant.sort),
        "searches": _named(manifest, grant.search),
        "outputs": _named(manifest, grant.output),
    }
    by_key = {f.key: f for f in manifest.fields}
    filters = {k: by_key[k] for k in _named(manifest, grant.filter) if k in by_key}
    if lists["searches"]:
        filters = {FULL_TEXT_FIELD: _FULL_TEXT, **filters}
    used = {key for keys in lists.values() for key in keys} | set(filters)
    fields = {key: f for key, f in by_key.items() if key in used}
    registry = Registry(
        tenant=tenant,
        manifest=manifest,
        profile=profile,  # type: ignore[arg-type] # a key of manifest.profiles
        filters=MappingProxyType(filters),
        fields=MappingProxyType(fields),
        version=version,
        documents=documents,
        samples=MappingProxyType({}),
        **lists,
    )
    return registry.sampled(samples or {})


def _named(manifest: Manifest, keys: Iterable[str]) -> tuple[str, ...]:
    keys = tuple(keys)
    return tuple(f.key for f in manifest.fields) if ALL in keys else keys


def _sorted(manifest: Manifest, keys: Iterable[str]) -> tuple[str, ...]:
    """Keep of all fields those that can order; one that is named can, or is refused."""
    by_key = {f.key: f for f in manifest.fields}
    named = _named(manifest, keys)
    return tuple(k for k in named if sortable(manifest.engine, by_key[k]))


def _speakable(
    samples: Mapping[str, Sample], fields: Mapping[str, Field]
) -> dict[str, Sample]:
    return {k: s for k, s in samples.items() if k in fields and not fields[k].sensitive}
