"""One publishing of a source: look, ask for approval, fill, swap, tell.

The order matters: the new collections hold all that the old registry may ask for, so
they come first; the registry, which may ask for more, comes after them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from typing import Any

from typesense import Client

from infra.publishing import survey as surveys
from infra.publishing.bar import Bar
from infra.publishing.readers import Moved, Reader
from infra.publishing.state import Notebook, State
from infra.publishing.survey import Survey
from vitrine.problems import Conflict, Invalid, Missing
from vitrine.registry.manifest import Manifest
from vitrine.registry.profiles import Registry, registry_for
from vitrine.registry.widening import approval, widenings
from vitrine.store.audit import Entry, append
from vitrine.store.following import follow
from vitrine.store.planted import plant
from vitrine.store.registry import load_registry, put_registry
from vitrine.store.table import Table
from vitrine.typesense.encode import Press, public_id
from vitrine.typesense.publish import Progress, Published, Run
from vitrine.typesense.records import Record, publishable
from vitrine.typesense.sample import samples
from vitrine.typesense.version import version_of

STAMP = "%Y%m%dT%H%M%S%f"


class Unapproved(Conflict):
    """Ask for an approval of what a publishing opens."""

    title = "This opens what was closed, and needs an approval"


class Empty(Conflict):
    """Refuse to put nothing in the place of what is searched."""

    title = "No record is to be published"


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be published, from where, for whom, and on whose word."""

    manifest: Manifest
    tenant: str
    origin: str
    reader: Reader
    by: str = ""
    reason: str = ""
    approve: str | None = None

    @property
    def digest(self) -> str:
        """Name the job: another manifest, tenant or origin is another job."""
        said = [self.manifest.model_dump(mode="json"), self.tenant, self.origin]
        return sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Desk:
    """What a publishing needs: a server, a key for ids, a notebook, perhaps a table."""

    client: Client
    key: bytes
    notebook: Notebook
    now: Callable[[], datetime]
    table: Table | None = None
    bar: Callable[[str, int | None], Bar] = Bar


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a publishing would do."""

    manifest: Manifest
    survey: Survey
    opens: tuple[str, ...]
    approval: str


@dataclass(frozen=True, slots=True)
class Done:
    """What a publishing has done."""

    runs: tuple[Published, ...]
    registries: tuple[Registry, ...]
    opened: tuple[str, ...]
    resumed: int = 0
    """Records that an earlier try had taken."""


def rehearse(job: Job, desk: Desk) -> Outlook:
    """Look at every record and encode it; change nothing."""
    known = published(desk.table, job.tenant, job.manifest)
    whole = job.reader.count()
    first = _watched(job.reader.records(Progress()), desk.bar("looking", whole))
    survey = surveys.gather(first, job.manifest)
    manifest = surveys.closed(job.manifest, survey, next(iter(known.values()), None))
    press = Press(_registries(manifest, job.tenant), desk.key, desk.now())
    again = _watched(job.reader.records(Progress()), desk.bar("encoding", whole))
    surveys.weigh(again, press, survey)
    return Outlook(manifest, survey, *opened(job.tenant, known, manifest))


def perform(job: Job, desk: Desk) -> Done:
    """Publish, or go on with a publishing that did not end.

    Raises ``Unapproved`` where it opens what was closed and nobody has approved it,
    ``Invalid`` for records that do not fit, ``Empty`` where none is to be published:
    then everything stays as it was. ``Unavailable`` leaves the run to be gone on with.
    """
    known = published(desk.table, job.tenant, job.manifest)
    if not version_of(desk.client).runs:
        raise Conflict("This server is older than 0.24, which nothing here runs on.")
    state = _state(job, desk, known)
    manifest = surveys.with_choices(job.manifest, state.choices)
    opens, wanted = opened(job.tenant, known, manifest)
    if opens and job.approve != wanted:
        raise Unapproved("\n".join(opens), approve=wanted)
    registries = _registries(manifest, job.tenant)
    press = Press(registries, desk.key, state.began)
    run = Run(desk.client, press, state.stamp)
    desk.notebook.write(state)
    try:
        done = _some(_filled(job, desk, run, state))
    except Moved:
        _abandon(desk, run)
        return perform(job, desk)
    except (Invalid, Empty):
        _abandon(desk, run)
        raise
    runs = run.swap(done)
    told = _told(job, desk, registries, runs)
    if desk.table is not None:
        _plant(desk, desk.table, job)
        since = int(state.began.timestamp())
        follow(desk.table, job.tenant, job.manifest.source, since)
    _audit(job, desk, state, runs, opens)
    desk.notebook.end()
    return Done(runs, told, opens, state.taken)


def _plant(desk: Desk, table: Table, job: Job) -> None:
    """Say which documents nobody should be shown, by the ids that searches meet."""
    manifest = job.manifest
    names = (job.tenant, manifest.source)
    planted = [public_id(desk.key, *names, private) for private in manifest.canaries]
    plant(table, *names, planted)


def published(
    table: Table | None, tenant: str, manifest: Manifest
) -> Mapping[str, Manifest]:
    """Give the manifest that each profile has now; without a table, none is known."""
    found: dict[str, Manifest] = {}
    if table is None:
        return found
    for profile in manifest.profiles:
        with suppress(Missing):
            old = load_registry(table, tenant, manifest.source, profile)
            found[profile] = old.manifest
    return found


def opened(
    tenant: str, known: Mapping[str, Manifest], manifest: Manifest
) -> tuple[tuple[str, ...], str]:
    """List what a manifest opens beyond the known ones, and what approves of it."""
    opens = widenings(known, manifest)
    return opens, approval(tenant, manifest.source, opens)


def _registries(manifest: Manifest, tenant: str) -> tuple[Registry, ...]:
    return tuple(registry_for(manifest, p, tenant=tenant) for p in manifest.profiles)


def _state(job: Job, desk: Desk, known: Mapping[str, Manifest]) -> State:
    """Take up the run that did not end, or begin one."""
    state = desk.notebook.read()
    if state and state.what == job.digest and _stands(job, desk, state):
        return state
    if state:
        _abandon(desk, _run(job, desk, state))
    now = desk.now()
    choices: dict[str, list[Mapping[str, Any]]] = {}
    if job.manifest.origin.gathered:
        bar = desk.bar("looking", job.reader.count())
        looked = _watched(job.reader.records(Progress()), bar)
        survey = surveys.gather(looked, job.manifest)
        before = next(iter(known.values()), None)
        lists = surveys.choices_of(surveys.closed(job.manifest, survey, before))
        choices = {key: list(values) for key, values in lists.items()}
    return State(job.digest, now.strftime(STAMP), now.isoformat(), choices=choices)


def _run(job: Job, desk: Desk, state: State) -> Run:
    manifest = surveys.with_choices(job.manifest, state.choices)
    registries = _registries(manifest, job.tenant)
    return Run(desk.client, Press(registries, desk.key, state.began), state.stamp)


def _stands(job: Job, desk: Desk, state: State) -> bool:
    return not state.taken or _run(job, desk, state).stands()


def _abandon(desk: Desk, run: Run) -> None:
    run.drop()
    desk.notebook.end()


def _filled(job: Job, desk: Desk, run: Run, state: State) -> Progress:
    """Fill the collections; after each batch the notebook says how far."""
    bar = desk.bar(f"publishing {job.manifest.source}", job.reader.count())

    def told(done: Progress) -> None:
        desk.notebook.write(
            replace(state, taken=done.taken, held_back=done.held_back, last=done.last)
        )
        bar.show(done.taken)

    run.create()
    wanted = publishable(job.manifest)
    records = job.reader.records(state.progress)
    done = run.fill(records, wanted, state.progress, told)
    bar.end(done.taken)
    return done


def _some(done: Progress) -> Progress:
    """Give what was filled, unless that is nothing.

    An export that was cut, or a rule that no record meets, reads like a shop that
    sells nothing; whoever means that withdraws the source's grants instead.
    """
    if not done.documents:
        read = f"{done.taken} records were read, and {done.held_back} of them held back"
        raise Empty(f"{read}: what is searched now stays.")
    return done


def _told(
    job: Job,
    desk: Desk,
    registries: tuple[Registry, ...],
    runs: tuple[Published, ...],
) -> tuple[Registry, ...]:
    """Publish what is now known of each profile: size and samples."""
    pairs = zip(registries, runs, strict=True)
    known = [
        registry_for(
            bare.manifest,
            bare.profile,
            tenant=bare.tenant,
            documents=run.documents,
            samples=samples(desk.client, bare),
        )
        for bare, run in pairs
    ]
    if (table := desk.table) is None:
        return tuple(known)
    return tuple(put_registry(table, one, now=desk.now(), by=job.by) for one in known)


def _audit(
    job: Job,
    desk: Desk,
    state: State,
    runs: tuple[Published, ...],
    opens: tuple[str, ...],
) -> None:
    if desk.table is None:
        return
    detail = {
        "collections": {run.collection: run.documents for run in runs},
        "held_back": runs[0].held_back,
        "opened": list(opens),
        "approved": job.approve if opens else None,
        "origin": job.origin,
    }
    entry = Entry(
        desk.now(), job.by, "publish", job.manifest.source, job.reason, detail
    )
    append(desk.table, job.tenant, entry, number=state.stamp)


def _watched(records: Iterator[Record], bar: Bar) -> Iterator[Record]:
    done = 0
    for done, record in enumerate(records, 1):
        if done % 500 == 0:
            bar.show(done)
        yield record
    bar.end(done)
