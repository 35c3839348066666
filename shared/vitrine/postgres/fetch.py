"""Known rows by id: what a ref or a session already names."""

from __future__ import annotations

from collections.abc import Sequence

from psycopg import sql

from vitrine.postgres.binds import Binds
from vitrine.postgres.output import document, labels
from vitrine.postgres.scope import scope_of
from vitrine.postgres.statement import Statement
from vitrine.search.engine import Query

_FETCH = sql.SQL("""WITH shown AS MATERIALIZED (
    SELECT v.id, {document} AS doc, {ids} AS ids FROM {view} WHERE v.id = ANY({wanted})
)
SELECT (SELECT jsonb_agg(jsonb_build_array(s.id, s.doc)) FROM shown AS s) AS page,
    {labels} AS labels""")


def fetched(query: Query, ids: Sequence[str]) -> Statement:
    """Make the statement that reads the visible ones of some rows."""
    scope, binds = scope_of(query.registry), Binds()
    shown = document(query.registry.manifest.fields)
    language = binds(query.caller.language, "text")
    text = _FETCH.format(
        document=shown.values,
        ids=shown.ids,
        view=scope.view,
        wanted=binds(list(ids), "uuid[]"),
        labels=labels(scope, language) if shown.worded else sql.SQL("NULL"),
    )
    return Statement(text, binds.values)
