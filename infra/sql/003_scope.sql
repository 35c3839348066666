-- Who asks, and what of a tenant they may see.
--
-- The caller is a transaction-local setting made from the verified token:
--     set_config('app.caller', '{"tenant": …, "subject": …}', true)
-- Never session-wide: behind a pooler the next client would inherit it.

SET ROLE vitrine_owner;

CREATE TABLE directory.tenants (
    tenant text PRIMARY KEY CHECK (tenant ~ '^[a-z][a-z0-9-]{0,62}$'),
    name text NOT NULL,
    language text NOT NULL CHECK (language IN ('fr', 'en'))
);

CREATE TABLE directory.members (
    tenant text NOT NULL REFERENCES directory.tenants ON DELETE CASCADE,
    subject text NOT NULL,
    team text NOT NULL,
    PRIMARY KEY (tenant, subject, team)
);

-- One part of the caller. No caller, no rows: an unset one raises.
CREATE FUNCTION vitrine.caller(part text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    said text := nullif(current_setting('app.caller', true), '');
    found text;
BEGIN
    IF said IS NULL OR NOT pg_input_is_valid(said, 'jsonb') THEN
        RAISE insufficient_privilege USING MESSAGE = 'no caller is set';
    END IF;
    found := nullif(said::jsonb ->> part, '');
    IF found IS NULL THEN
        RAISE insufficient_privilege USING MESSAGE = 'the caller is incomplete';
    END IF;
    RETURN found;
END
$$;

CREATE FUNCTION vitrine.tenant() RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN vitrine.caller('tenant');
END
$$;

CREATE FUNCTION vitrine.subject() RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN vitrine.caller('subject');
END
$$;

-- Membership is looked up here at each statement, never taken from the client.
CREATE FUNCTION vitrine.teams() RETURNS text[]
LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN ARRAY(
        SELECT m.team FROM directory.members AS m
        WHERE m.tenant = vitrine.caller('tenant')
          AND m.subject = vitrine.caller('subject')
    );
END
$$;

-- The caller's marks: see `vitrine.scoped`.
CREATE FUNCTION vitrine.marks() RETURNS text[]
LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    whose text := vitrine.caller('tenant');
    asking text := vitrine.caller('subject');
BEGIN
    RETURN ARRAY(
        SELECT vitrine.mark(whose, s.whom) FROM (
            VALUES ('*'), ('@' || asking)
            UNION ALL
            SELECT '#' || m.team FROM directory.members AS m
            WHERE m.tenant = whose AND m.subject = asking
        ) AS s (whom)
    );
END
$$;

-- A query for the caller's marks, read when the statement is planned: so the planner
-- knows how common its words are, and that what the index gave needs no second look,
-- which takes 150 µs a row. It is immutable for one plan alone, as each statement of the
-- service is planned for itself (`force_custom_plan`, nothing prepared). A plan of
-- another caller's could only miss rows: the view decides, and asks anew.
CREATE FUNCTION vitrine.scoped_query(asked tsquery) RETURNS tsquery
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 1000 AS $$
BEGIN
    RETURN vitrine.scoped_query(asked, vitrine.marks());
END
$$;

REVOKE ALL ON FUNCTION
    vitrine.caller(text), vitrine.tenant(), vitrine.subject(), vitrine.teams(),
    vitrine.marks(), vitrine.scoped_query(tsquery)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    vitrine.tenant(), vitrine.subject(), vitrine.teams(),
    vitrine.marks(), vitrine.scoped_query(tsquery)
TO vitrine_service;

-- The marks of a row that its owner, its teams or all of the tenant may see.
CREATE FUNCTION vitrine.marks_of(tenant text, is_public boolean, owner text, teams text[])
RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    made text[];
    team text;
BEGIN
    IF is_public THEN
        RETURN ARRAY[vitrine.mark(tenant, '*')];
    END IF;
    made := ARRAY[vitrine.mark(tenant, '@' || owner)];
    FOREACH team IN ARRAY coalesce(teams, '{}') LOOP
        made := made || vitrine.mark(tenant, '#' || team);
    END LOOP;
    RETURN made;
END
$$;
GRANT EXECUTE ON FUNCTION vitrine.marks_of(text, boolean, text, text[])
TO vitrine_service;

-- The words of each source's texts, for "did you mean". Only a hint: a word is
-- offered where a visible row has it.
CREATE TABLE directory.words (
    source text NOT NULL,
    tenant text NOT NULL REFERENCES directory.tenants ON DELETE CASCADE,
    word text NOT NULL,
    letters text GENERATED ALWAYS AS (vitrine.letters(word)) STORED,
    PRIMARY KEY (tenant, source, word)
);
CREATE INDEX words_swapped ON directory.words (tenant, source, letters);
CREATE INDEX words_alike ON directory.words
    USING gin (tenant, source, word public.gin_trgm_ops);

CREATE VIEW vitrine.words AS
    SELECT w.source, w.word, w.letters FROM directory.words AS w
    WHERE w.tenant = (SELECT vitrine.tenant());
GRANT SELECT ON vitrine.words TO vitrine_service;

-- What BM25 must know of a source's texts: how many there are, how long they are, and
-- in how many each lexeme stands. Learnt from rows alone that all of the tenant may
-- see, so that no order of results tells of a hidden one. A tenth of the texts ranks
-- as well as all of them, so that these need be neither complete nor fresh; but a walk
-- through pages needs the same ones to its end, so that the last two lessons are kept.
CREATE TABLE directory.corpora (
    source text NOT NULL,
    tenant text NOT NULL REFERENCES directory.tenants ON DELETE CASCADE,
    generation integer NOT NULL,
    documents integer NOT NULL,
    total integer NOT NULL,
    mean_length float8 NOT NULL,
    learned_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, source, generation)
);
CREATE TABLE directory.lexemes (
    source text NOT NULL,
    tenant text NOT NULL REFERENCES directory.tenants ON DELETE CASCADE,
    generation integer NOT NULL,
    lexeme text NOT NULL,
    documents integer NOT NULL,
    PRIMARY KEY (tenant, source, generation, lexeme)
);

CREATE VIEW vitrine.corpora AS
    SELECT c.source, c.generation, c.documents, c.total, c.mean_length
    FROM directory.corpora AS c WHERE c.tenant = (SELECT vitrine.tenant());
CREATE VIEW vitrine.lexemes AS
    SELECT x.source, x.generation, x.lexeme, x.documents
    FROM directory.lexemes AS x WHERE x.tenant = (SELECT vitrine.tenant());
GRANT SELECT ON vitrine.corpora, vitrine.lexemes TO vitrine_service;

-- The texts of each source, as a view (tenant, id, occurred_at, is_open, tsv, plain):
-- `is_open` to all of the tenant, `plain` the words as they are written.
CREATE TABLE directory.sources (source text PRIMARY KEY, texts regclass NOT NULL);

-- Learn a tenant's words and statistics anew, from its newest texts: fifty thousand
-- take a second or two, and more would rank no better.
CREATE FUNCTION directory.learn(asked text, whose text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    read CONSTANT text := 'SELECT %s FROM %s WHERE tenant = %L AND %s'
        ' ORDER BY occurred_at DESC, id DESC LIMIT 50000';
    texts regclass := (SELECT s.texts FROM directory.sources AS s WHERE s.source = asked);
    last integer;
    seen integer;
    many integer;
BEGIN
    -- Two lessons at a time would take the same number.
    PERFORM pg_advisory_xact_lock(hashtext('learn'), hashtext(whose || ' ' || asked));
    last := coalesce((SELECT max(c.generation) FROM directory.corpora AS c
        WHERE c.tenant = whose AND c.source = asked), 0);
    DELETE FROM directory.lexemes AS x
    WHERE x.tenant = whose AND x.source = asked AND x.generation <> last;
    EXECUTE format('SELECT count(*), least(count(*), 50000) FROM %s'
        ' WHERE tenant = %L AND is_open', texts, whose) INTO many, seen;
    INSERT INTO directory.lexemes (source, tenant, generation, lexeme, documents)
    SELECT asked, whose, last + 1, s.word, s.ndoc
    FROM ts_stat(format(read, 'tsv', texts, whose, 'is_open')) AS s;
    INSERT INTO directory.corpora
        (source, tenant, generation, documents, total, mean_length)
    SELECT asked, whose, last + 1, seen, many, sum(x.documents) / seen::float8
    FROM directory.lexemes AS x
    WHERE x.tenant = whose AND x.source = asked AND x.generation = last + 1
    HAVING count(*) > 0;
    DELETE FROM directory.corpora AS c
    WHERE c.tenant = whose AND c.source = asked AND c.generation < last;
    WITH found AS MATERIALIZED (
        SELECT s.word FROM ts_stat(format(read, 'plain', texts, whose, 'TRUE')) AS s
        WHERE s.word ~ '^[[:alpha:]]{3,40}$'
    ), gone AS (
        DELETE FROM directory.words AS w
        WHERE w.tenant = whose AND w.source = asked
          AND NOT EXISTS (SELECT FROM found AS f WHERE f.word = w.word)
    )
    INSERT INTO directory.words (source, tenant, word)
    SELECT asked, whose, f.word FROM found AS f ON CONFLICT DO NOTHING;
END
$$;
REVOKE ALL ON FUNCTION directory.learn(text, text) FROM PUBLIC;

-- The same for the caller's tenant, where the last lesson is older than `patience`.
-- The one thing that the service may set going, and it changes no customer's row.
CREATE FUNCTION vitrine.learn(asked text, patience interval) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM directory.sources AS s WHERE s.source = asked)
        OR EXISTS (SELECT FROM directory.corpora AS c
            WHERE c.tenant = vitrine.tenant() AND c.source = asked
              AND c.learned_at > now() - patience)
    THEN
        RETURN false;
    END IF;
    PERFORM directory.learn(asked, vitrine.tenant());
    RETURN true;
END
$$;
REVOKE ALL ON FUNCTION vitrine.learn(text, interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION vitrine.learn(text, interval) TO vitrine_service;

RESET ROLE;
