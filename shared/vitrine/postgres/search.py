"""The engine: each question one statement, asked as the verified caller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vitrine.caller import Caller
from vitrine.postgres import count, definitions, sample, vocabulary
from vitrine.postgres import shape as shapes
from vitrine.postgres.cursor import Place, place_of, uuid_or_none
from vitrine.postgres.fetch import fetched
from vitrine.postgres.hits import hits
from vitrine.postgres.hybrid import Meaning, meaning_of
from vitrine.postgres.line import Connect, Line
from vitrine.postgres.output import read
from vitrine.postgres.statement import search
from vitrine.postgres.wording import wording
from vitrine.problems import Unavailable
from vitrine.registry.fields import Field
from vitrine.registry.manifest import Manifest
from vitrine.registry.samples import Sample
from vitrine.search.engine import Count, Embedder, Found, Hits, Query, Row, Wanted
from vitrine.tree.conditions import Condition


class Postgres:
    """A customer's PostgreSQL, over one lazily opened connection.

    Without an embedder, hybrid search runs by keywords and says so.
    """

    def __init__(
        self,
        connect: Connect,
        embedder: Embedder | None = None,
        patience: str | None = None,
    ) -> None:
        self._line = Line(connect, patience)
        self._embedder = embedder

    def search(self, query: Query) -> Hits:
        """Find one page, its total and its facets in one statement."""
        place = place_of(query.after)
        meaning = self._meaning(query, place)
        ((row,),) = self._line.ask(query.caller, [search(query, place, meaning)])
        return hits(query, row, place, fused=meaning is not None)

    def _meaning(self, query: Query, place: Place | None) -> Meaning | None:
        """Embed the text where that is wanted and can be done, to the walk's end."""
        embedder, begun = self._asked(query), place is not None and bool(place.seen)
        if embedder is None and begun:
            # Without meaning, the rest of the walk would be another list.
            raise Unavailable("The embedder that this walk began with is gone.")
        if embedder is None or query.text is None:
            return None
        said = wording(query.text.query, query.registry.manifest.text_language)
        # A walk that began by words stays one: fused pages would be cut out of another
        # list.
        if not said.telling or (place is not None and not begun):
            return None
        try:
            return meaning_of(query.text.query, said, embedder)
        except Unavailable:
            if begun:
                raise
            return None

    def _asked(self, query: Query) -> Embedder | None:
        """Give the embedder that made the source's vectors, where meaning is asked for.

        A source without vectors opens no model, not even to ask for its name. In an
        order that the caller chose, the nearest by meaning would answer neither.
        """
        vectors, embedder = query.registry.manifest.vectors, self._embedder
        worded = query.text is None or query.text.method == "keyword_search"
        if worded or query.sort is not None or vectors is None or embedder is None:
            return None
        return embedder if embedder.name == vectors else None

    def count(self, query: Query, conditions: Sequence[Condition]) -> tuple[Count, ...]:
        """Count each condition alone over what the caller may see, capped."""
        if not conditions:
            return ()
        (rows,) = self._line.ask(query.caller, [count.counts(query, conditions)])
        return tuple(count.counted(number) for _, number in sorted(rows))

    def look_up(self, query: Query, wanted: Sequence[Wanted]) -> tuple[Found, ...]:
        """Resolve readable labels to stored ids, in one statement."""
        if not wanted:
            return ()
        (rows,) = self._line.ask(query.caller, [vocabulary.lookup(query, wanted)])
        return vocabulary.found(rows, len(wanted))

    def fetch(self, query: Query, ids: Sequence[str]) -> tuple[Row, ...]:
        """Read known documents by id; those not visible are left out."""
        # What is no UUID is a miss; cast, it would be an error.
        known = [key for i in ids if (key := uuid_or_none(i))]
        if not known:
            return ()
        ((row,),) = self._line.ask(query.caller, [fetched(query, known)])
        page, names = row
        fields = query.registry.manifest.fields
        seen = {i: Row(i, read(doc, fields, names or {})) for i, doc in page or ()}
        return tuple(seen[i] for i in known if i in seen)

    def sample(self, caller: Caller, manifest: Manifest) -> Mapping[str, Sample]:
        """Observe each field's values among the caller's newest rows."""
        statement = sample.observed(caller, manifest)
        (rows,) = self._line.ask(caller, [statement])
        return sample.samples(rows)

    def definitions(self, caller: Caller, manifest: Manifest) -> tuple[Field, ...]:
        """Read the tenant's own definitions as fields, in their order."""
        (rows,) = self._line.ask(caller, [definitions.defined(manifest)])
        return definitions.fields(rows)

    def shape(self, caller: Caller, manifest: Manifest) -> shapes.Shape:
        """Read the columns and neighbours of a manifest's view."""
        (rows,) = self._line.ask(caller, [shapes.shaped(manifest)])
        return shapes.shape(rows)

    def documents(self, caller: Caller, manifest: Manifest) -> int:
        """Count all that the caller may see of a source."""
        (((number,),),) = self._line.ask(caller, [shapes.counted(manifest)])
        return int(number)

    def close(self) -> None:
        """Drop the connection."""
        self._line.close()
