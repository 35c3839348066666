"""Fresh samples and word statistics for every source, by the schedule or by a call.

A prompt, a remedy and the lexicon quote samples to whoever has the profile. So they
are taken as nobody in particular: of the rows that all of the tenant may see. What a
team or an owner alone sees stands in no sample, whoever asks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from aws_lambda_powertools.metrics import MetricUnit
from pydantic import BaseModel, ConfigDict, StringConstraints

from vitrine.caller import Caller, nobody
from vitrine.edge.events import event_of
from vitrine.edge.telemetry import failed, metrics
from vitrine.edge.wiring import Wiring
from vitrine.problems import Problem
from vitrine.registry.capabilities import EngineName
from vitrine.registry.profiles import Registry
from vitrine.registry.samples import Sample
from vitrine.search.engine import Sampler
from vitrine.store.listing import longest_unsampled, note_sampled
from vitrine.store.registry import published, put_samples

LOOKING = 150.0
"""Seconds after which a source waits for the next tick. The function has 300, and the
last one may be sampled and learnt from for a minute each."""
Name = Annotated[str, StringConstraints(min_length=1)]


class Named(BaseModel):
    """One source, to be refreshed at once: after a publish, or by hand."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tenant: Name
    source: Name


def refreshed(wiring: Wiring, event: Mapping[str, Any]) -> dict[str, Any]:
    """Refresh the source that is named, or as many as there is time for.

    One that fails is told and does not hold up the others. A call that names a source
    raises instead: whoever made it is there to see it.
    """
    if "tenant" in event:
        named = event_of(Named, event)
        return _refreshed(wiring, named.tenant, named.source)
    return _told(list(_each(wiring)))


def _each(wiring: Wiring) -> Iterator[dict[str, Any]]:
    began = wiring.seconds()
    for listed in longest_unsampled(wiring.table):
        if wiring.seconds() - began > LOOKING:
            return
        try:
            yield _refreshed(wiring, listed.tenant, listed.source)
        except (Problem, ValueError) as error:
            # A kept manifest that is none any more is a ValueError of pydantic's.
            why = error.code if isinstance(error, Problem) else "unreadable"
            place = {"tenant": listed.tenant, "source": listed.source}
            told = place | {"why": why}
            failed("samples are not fresh", error, **told)
            yield place | {"failed": why}
        finally:
            note_sampled(wiring.table, listed.tenant, listed.source, now=wiring.now())


def _refreshed(wiring: Wiring, tenant: str, source: str) -> dict[str, Any]:
    seen = published(wiring.table, tenant, source)
    sampler = wiring.sampler(seen[0])
    reader = nobody(tenant, wiring.number(), "sample_values")
    learnt = sampler.learn(reader, source)
    changed = [
        registry.profile
        for registry, samples in _observed(sampler, reader, seen)
        if put_samples(wiring.table, registry, samples, now=wiring.now()).version
        != registry.version
    ]
    return {"tenant": tenant, "source": source, "learnt": learnt, "changed": changed}


def _observed(
    sampler: Sampler, reader: Caller, seen: Sequence[Registry]
) -> Iterator[tuple[Registry, Mapping[str, Sample]]]:
    """Sample a collection for each profile, a database once: its rows are the same."""
    if seen[0].engine is EngineName.TYPESENSE:
        yield from ((one, sampler.observe(reader, one)) for one in seen)
        return
    samples = sampler.observe(reader, seen[0])
    yield from ((one, samples) for one in seen)


def _told(done: list[dict[str, Any]]) -> dict[str, Any]:
    failed = [one for one in done if "failed" in one]
    metrics.add_metric("Sampled", MetricUnit.Count, len(done) - len(failed))
    metrics.add_metric("SampleFailures", MetricUnit.Count, len(failed))
    return {"sampled": done, "failed": len(failed)}
