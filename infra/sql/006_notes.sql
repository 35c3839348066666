-- Notes that an assistant writes: the one write to a customer's data.
--
-- The service still owns nothing and writes no table: two functions write, each a note
-- and its audit row in one transaction, as the verified caller and for nobody else.
-- The audit row is for ever and names a pseudonym; the words lie beside it, where they
-- can be erased without a gap in the audit.

SET ROLE vitrine_owner;

ALTER TABLE crm.note_audit DROP COLUMN content;
ALTER TABLE crm.note_audit ADD COLUMN request text;
ALTER TABLE crm.note_audit DROP CONSTRAINT note_audit_action_check;
ALTER TABLE crm.note_audit ADD CONSTRAINT note_audit_action_check
    CHECK (action IN ('written', 'undone', 'erased'));

CREATE TABLE crm.note_texts (
    tenant text NOT NULL REFERENCES directory.tenants ON DELETE CASCADE,
    event_id uuid NOT NULL,
    content text NOT NULL,
    people uuid[] NOT NULL DEFAULT '{}',
    PRIMARY KEY (tenant, event_id)
);

-- A retry is known by who asked, through which client, and their own request id.
CREATE UNIQUE INDEX note_audit_once ON crm.note_audit
    (tenant, subject, ai_client, request) WHERE action = 'written';
CREATE UNIQUE INDEX note_audit_undone ON crm.note_audit
    (tenant, event_id) WHERE action = 'undone';

CREATE INDEX note_audit_subject ON crm.note_audit (tenant, subject, id);

-- The role in which a note names a contact.
CREATE FUNCTION crm.mentioned(whose text) RETURNS uuid
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found uuid := md5('vitrine mentioned ' || whose)::uuid;
BEGIN
    INSERT INTO crm.labels (tenant, id, kind, label)
    VALUES (whose, found, 'role', '{"en": "mentioned", "fr": "mentionné"}')
    ON CONFLICT DO NOTHING;
    RETURN found;
END
$$;

-- Writes a note of the caller's own, about contacts in their sight; gives its id, and
-- when it was written. A known request gives the note that it made before.
CREATE FUNCTION vitrine.log_note(
    said text, people uuid[], author text, client text, pseudonym text, request text
) RETURNS TABLE (id uuid, at timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    whose text := vitrine.caller('tenant');
    who text := vitrine.caller('subject');
    made uuid := gen_random_uuid();
    seen bigint;
BEGIN
    -- Two retries at once: the second waits here and then finds the first one's row.
    PERFORM pg_advisory_xact_lock(
        hashtextextended(concat_ws(chr(31), whose, pseudonym, client, request), 0)
    );
    RETURN QUERY
        SELECT a.event_id, a.at FROM crm.note_audit AS a
        WHERE a.tenant = whose AND a.subject = pseudonym AND a.ai_client = client
          AND a.request = log_note.request AND a.action = 'written';
    IF FOUND THEN
        RETURN;
    END IF;
    SELECT count(*) INTO seen FROM crm.visible_contacts AS c
    WHERE c.id = ANY (people);
    IF seen < cardinality(people) THEN
        RAISE no_data_found USING MESSAGE = 'a contact is not there for this caller';
    END IF;
    INSERT INTO crm.events
        (tenant, id, language, kind, content, owner, teams, ai_author, ai_client, ai_at)
    SELECT whose, made, t.language, 'note', said, who, vitrine.teams(),
           author, client, now()
    FROM directory.tenants AS t WHERE t.tenant = whose;
    INSERT INTO crm.links (tenant, event_id, contact_id, label_id)
    SELECT whose, made, person, crm.mentioned(whose)
    FROM unnest(people) AS person;
    INSERT INTO crm.note_texts (tenant, event_id, content, people)
    VALUES (whose, made, said, log_note.people);
    INSERT INTO crm.note_audit
        (tenant, event_id, action, ai_author, ai_client, subject, request)
    VALUES (whose, made, 'written', author, client, pseudonym, log_note.request);
    RETURN QUERY SELECT made, now();
END
$$;

-- Takes a note back, and says when; only who wrote it may, through the same client.
-- Undone twice is undone once. Any other note is no note: no row.
CREATE FUNCTION vitrine.undo_note(
    note uuid, author text, client text, pseudonym text
) RETURNS TABLE (id uuid, at timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    whose text := vitrine.caller('tenant');
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(whose || note::text, 0));
    RETURN QUERY
        SELECT a.event_id, a.at FROM crm.note_audit AS a
        WHERE a.tenant = whose AND a.event_id = note AND a.action = 'undone'
          AND a.subject = pseudonym AND a.ai_client = client;
    IF FOUND THEN
        RETURN;
    END IF;
    PERFORM FROM crm.note_audit AS a
    WHERE a.tenant = whose AND a.event_id = note AND a.action = 'written'
      AND a.subject = pseudonym AND a.ai_client = client;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    DELETE FROM crm.events AS e WHERE e.tenant = whose AND e.id = note;
    INSERT INTO crm.note_audit
        (tenant, event_id, action, ai_author, ai_client, subject)
    VALUES (whose, note, 'undone', author, client, pseudonym);
    RETURN QUERY SELECT note, now();
END
$$;

-- Forgets up to ``most`` notes of the caller's organisation by the pseudonyms of who had
-- them written, and says how many. The words go beside the audit and in the event, where
-- it still says what the assistant wrote: what people have made of it since is theirs.
-- The audit rows stay, without a word of it, and one more tells each erasure.
CREATE FUNCTION vitrine.erase_notes(pseudonyms text[], most integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    whose text := vitrine.caller('tenant');
    erased bigint;
BEGIN
    -- Driven by what is really deleted: of two that erase at once, each note is told by
    -- one of them.
    WITH meant AS (
        SELECT t.event_id FROM crm.note_texts AS t
        JOIN crm.note_audit AS a
            ON a.tenant = t.tenant AND a.event_id = t.event_id AND a.action = 'written'
        WHERE t.tenant = whose AND a.subject = ANY (pseudonyms)
        LIMIT most
    ), gone AS (
        DELETE FROM crm.note_texts AS t USING meant AS m
        WHERE t.tenant = whose AND t.event_id = m.event_id
        RETURNING t.event_id, t.content
    ), blanked AS (
        -- People have answered it: their words stay where they are.
        UPDATE crm.events AS e SET content = '' FROM gone AS g
        WHERE e.tenant = whose AND e.id = g.event_id AND e.content = g.content
          AND e.resolution IS NOT NULL
    ), forgotten AS (
        DELETE FROM crm.events AS e USING gone AS g
        WHERE e.tenant = whose AND e.id = g.event_id AND e.content = g.content
          AND e.resolution IS NULL
    ), told AS (
        INSERT INTO crm.note_audit
            (tenant, event_id, action, ai_author, ai_client, subject)
        SELECT a.tenant, a.event_id, 'erased', a.ai_author, a.ai_client, a.subject
        FROM crm.note_audit AS a JOIN gone AS g ON g.event_id = a.event_id
        WHERE a.tenant = whose AND a.action = 'written'
    )
    SELECT count(*) INTO erased FROM gone;
    RETURN erased;
END
$$;

-- What the audit tells of notes that were written for these pseudonyms, each with its
-- words where they are kept still; in order, from after a row on.
CREATE FUNCTION vitrine.notes_of(pseudonyms text[], after bigint, most integer)
RETURNS TABLE (
    id bigint, at timestamptz, action text, author text, client text, content text
)
LANGUAGE sql SECURITY DEFINER STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT a.id, a.at, a.action, a.ai_author, a.ai_client, t.content
    FROM crm.note_audit AS a LEFT JOIN crm.note_texts AS t
        ON t.tenant = a.tenant AND t.event_id = a.event_id AND a.action = 'written'
    WHERE a.tenant = vitrine.caller('tenant') AND a.subject = ANY (pseudonyms)
      AND a.id > after
    ORDER BY a.id LIMIT most
$$;

REVOKE ALL ON FUNCTION
    crm.mentioned(text),
    vitrine.erase_notes(text[], integer),
    vitrine.notes_of(text[], bigint, integer),
    vitrine.log_note(text, uuid[], text, text, text, text),
    vitrine.undo_note(uuid, text, text, text)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    vitrine.erase_notes(text[], integer),
    vitrine.notes_of(text[], bigint, integer),
    vitrine.log_note(text, uuid[], text, text, text, text),
    vitrine.undo_note(uuid, text, text, text)
TO vitrine_service;

RESET ROLE;
