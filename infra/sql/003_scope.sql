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

REVOKE ALL ON FUNCTION
    vitrine.caller(text), vitrine.tenant(), vitrine.subject(), vitrine.teams()
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    vitrine.tenant(), vitrine.subject(), vitrine.teams()
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

RESET ROLE;
