-- The CRM: contacts, dated events, and who took part in them in which role.
--
-- Keys are composite: a link, a tag or a label can't cross organisations, whatever
-- the code that writes it does.

SET ROLE vitrine_owner;

CREATE TABLE crm.contacts (
    tenant text NOT NULL REFERENCES directory.tenants ON DELETE CASCADE,
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    language text NOT NULL CHECK (language IN ('fr', 'en')),
    kind text NOT NULL CHECK (kind IN ('person', 'company')),
    name text NOT NULL,
    company text,
    email text,
    phone text,
    street text,
    postcode text,
    city text,
    country text,
    notes text,
    occurred_at timestamptz NOT NULL DEFAULT now(),
    owner text NOT NULL,
    teams text[] NOT NULL DEFAULT '{}',
    is_public boolean NOT NULL DEFAULT false,
    ai_author text,
    ai_client text,
    ai_at timestamptz,
    names tsvector GENERATED ALWAYS AS (
        to_tsvector('vitrine.plain', vitrine.fold(name))
    ) STORED,
    -- An address by parts and a phone by its digits are found too.
    tsv tsvector GENERATED ALWAYS AS (
        vitrine.vector(language, name, coalesce(company, '') || ' ' || coalesce(city, ''),
            notes, coalesce(email, '') || ' ' || coalesce(phone, '') || ' '
            || coalesce(street, '') || ' ' || coalesce(postcode, '') || ' '
            || coalesce(country, ''))
        || setweight(to_tsvector('pg_catalog.simple',
            translate(lower(coalesce(email, '')), '@.-_+', '     ') || ' '
            || regexp_replace(coalesce(phone, ''), '\D', '', 'g')), 'D')
    ) STORED,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX contacts_walk ON crm.contacts (tenant, occurred_at DESC, id DESC);
CREATE INDEX contacts_text ON crm.contacts USING gin (tenant, tsv, vitrine.scoped(tsv,
    vitrine.marks_of(tenant, is_public, owner, teams)));
CREATE INDEX contacts_names ON crm.contacts USING gin (tenant, names);

CREATE TABLE crm.events (
    tenant text NOT NULL REFERENCES directory.tenants ON DELETE CASCADE,
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    language text NOT NULL CHECK (language IN ('fr', 'en')),
    kind text NOT NULL,
    content text NOT NULL,
    resolution text,
    occurred_at timestamptz NOT NULL DEFAULT now(),
    closed_at timestamptz,
    owner text NOT NULL,
    teams text[] NOT NULL DEFAULT '{}',
    is_public boolean NOT NULL DEFAULT false,
    ai_author text,
    ai_client text,
    ai_at timestamptz,
    tsv tsvector GENERATED ALWAYS AS (
        vitrine.vector(language, content, resolution, NULL, NULL)
    ) STORED,
    PRIMARY KEY (tenant, id),
    CHECK ((ai_author IS NULL) = (ai_client IS NULL)),
    CHECK ((ai_author IS NULL) = (ai_at IS NULL))
);
CREATE INDEX events_walk ON crm.events (tenant, occurred_at DESC, id DESC);
CREATE INDEX events_text ON crm.events USING gin (tenant, tsv, vitrine.scoped(tsv,
    vitrine.marks_of(tenant, is_public, owner, teams)));

-- Roles of links and tags of contacts; one row, its label in each language.
CREATE TABLE crm.labels (
    tenant text NOT NULL REFERENCES directory.tenants ON DELETE CASCADE,
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    kind text NOT NULL CHECK (kind IN ('role', 'tag')),
    label jsonb NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE TABLE crm.label_words (
    tenant text NOT NULL,
    label_id uuid NOT NULL,
    language text NOT NULL,
    label text NOT NULL,
    norm text GENERATED ALWAYS AS (vitrine.fold(label)) STORED,
    role_key text GENERATED ALWAYS AS (vitrine.role_key(label)) STORED,
    PRIMARY KEY (tenant, label_id, language),
    FOREIGN KEY (tenant, label_id) REFERENCES crm.labels ON DELETE CASCADE
);
CREATE INDEX label_words_key ON crm.label_words (tenant, role_key);

CREATE FUNCTION crm.keep_words() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM crm.label_words AS w
    WHERE w.tenant = NEW.tenant AND w.label_id = NEW.id;
    INSERT INTO crm.label_words (tenant, label_id, language, label)
    SELECT NEW.tenant, NEW.id, e.key, e.value FROM jsonb_each_text(NEW.label) AS e;
    RETURN NULL;
END
$$;
CREATE TRIGGER words_kept AFTER INSERT OR UPDATE ON crm.labels
    FOR EACH ROW EXECUTE FUNCTION crm.keep_words();

CREATE TABLE crm.links (
    tenant text NOT NULL,
    event_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    label_id uuid NOT NULL,
    PRIMARY KEY (tenant, event_id, contact_id, label_id),
    FOREIGN KEY (tenant, event_id) REFERENCES crm.events ON DELETE CASCADE,
    FOREIGN KEY (tenant, contact_id) REFERENCES crm.contacts ON DELETE CASCADE,
    FOREIGN KEY (tenant, label_id) REFERENCES crm.labels
);
CREATE INDEX links_contact ON crm.links (tenant, contact_id, event_id);
CREATE INDEX links_label ON crm.links (tenant, label_id, event_id);

CREATE TABLE crm.contact_tags (
    tenant text NOT NULL,
    contact_id uuid NOT NULL,
    label_id uuid NOT NULL,
    PRIMARY KEY (tenant, contact_id, label_id),
    FOREIGN KEY (tenant, contact_id) REFERENCES crm.contacts ON DELETE CASCADE,
    FOREIGN KEY (tenant, label_id) REFERENCES crm.labels
);
CREATE INDEX contact_tags_label ON crm.contact_tags (tenant, label_id, contact_id);

-- Every note that an assistant writes, and each undo: rows are only ever added.
CREATE TABLE crm.note_audit (
    tenant text NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY,
    event_id uuid NOT NULL,
    action text NOT NULL CHECK (action IN ('written', 'undone')),
    ai_author text NOT NULL,
    ai_client text NOT NULL,
    subject text NOT NULL,
    content text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, id)
);
CREATE FUNCTION crm.refuse() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE insufficient_privilege USING MESSAGE = 'the audit is append-only';
END
$$;
CREATE TRIGGER note_audit_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON crm.note_audit
    FOR EACH STATEMENT EXECUTE FUNCTION crm.refuse();

-- What the service reads --------------------------------------------------------

-- The rows in scope with their links, for the owner's views alone.
CREATE VIEW crm.visible_contacts AS
    SELECT c.* FROM crm.contacts AS c
    WHERE c.tenant = (SELECT vitrine.tenant())
      AND (c.is_public
           OR c.owner = (SELECT vitrine.subject())
           OR c.teams && (SELECT vitrine.teams())::text[]);

CREATE VIEW crm.visible_events AS
    SELECT e.* FROM crm.events AS e
    WHERE e.tenant = (SELECT vitrine.tenant())
      AND (e.is_public
           OR e.owner = (SELECT vitrine.subject())
           OR e.teams && (SELECT vitrine.teams())::text[]);

CREATE VIEW vitrine.persons AS
    SELECT c.id, c.tenant, c.kind, c.name, c.company, c.email, c.phone, c.street,
           c.postcode, c.city, c.country, c.notes, c.occurred_at,
           c.ai_author, c.ai_client, c.ai_at, c.tsv,
           vitrine.scoped(c.tsv, vitrine.marks_of(
               c.tenant, c.is_public, c.owner, c.teams)) AS scoped,
           ARRAY(SELECT t.label_id::text FROM crm.contact_tags AS t
                 WHERE t.tenant = c.tenant AND t.contact_id = c.id
                 ORDER BY 1) AS tags,
           ARRAY(SELECT DISTINCT l.label_id::text FROM crm.links AS l
                 JOIN crm.visible_events AS e
                     ON e.tenant = l.tenant AND e.id = l.event_id
                 WHERE l.tenant = c.tenant AND l.contact_id = c.id
                 ORDER BY 1) AS roles
    FROM crm.visible_contacts AS c;

CREATE VIEW vitrine.events AS
    SELECT e.id, e.tenant, e.kind, e.content, e.resolution, e.occurred_at,
           e.closed_at, e.closed_at IS NOT NULL AS closed,
           e.ai_author IS NOT NULL AS by_ai, e.ai_author, e.ai_client, e.ai_at, e.tsv,
           vitrine.scoped(e.tsv, vitrine.marks_of(
               e.tenant, e.is_public, e.owner, e.teams)) AS scoped,
           ARRAY(SELECT DISTINCT c.name FROM crm.links AS l
                 JOIN crm.visible_contacts AS c
                     ON c.tenant = l.tenant AND c.id = l.contact_id
                 WHERE l.tenant = e.tenant AND l.event_id = e.id
                 ORDER BY 1) AS people,
           ARRAY(SELECT DISTINCT t.label_id::text FROM crm.links AS l
                 JOIN crm.visible_contacts AS c
                     ON c.tenant = l.tenant AND c.id = l.contact_id
                 JOIN crm.contact_tags AS t
                     ON t.tenant = c.tenant AND t.contact_id = c.id
                 WHERE l.tenant = e.tenant AND l.event_id = e.id
                 ORDER BY 1) AS tags
    FROM crm.visible_events AS e;

-- For each row of a source its roles: a link's label, or a tag of the contact.
CREATE VIEW vitrine.events_roles AS
    SELECT l.event_id AS id, w.role_key
    FROM crm.links AS l
    JOIN crm.visible_contacts AS c ON c.tenant = l.tenant AND c.id = l.contact_id
    JOIN crm.label_words AS w ON w.tenant = l.tenant AND w.label_id = l.label_id
    UNION ALL
    SELECT l.event_id, w.role_key
    FROM crm.links AS l
    JOIN crm.visible_contacts AS c ON c.tenant = l.tenant AND c.id = l.contact_id
    JOIN crm.contact_tags AS t ON t.tenant = c.tenant AND t.contact_id = c.id
    JOIN crm.label_words AS w ON w.tenant = t.tenant AND w.label_id = t.label_id;

CREATE VIEW vitrine.persons_roles AS
    SELECT l.contact_id AS id, w.role_key
    FROM crm.links AS l
    JOIN crm.visible_events AS e ON e.tenant = l.tenant AND e.id = l.event_id
    JOIN crm.label_words AS w ON w.tenant = l.tenant AND w.label_id = l.label_id
    UNION ALL
    SELECT t.contact_id, w.role_key
    FROM crm.contact_tags AS t
    JOIN crm.label_words AS w ON w.tenant = t.tenant AND w.label_id = t.label_id
    WHERE t.tenant = (SELECT vitrine.tenant());

-- For each row of a source the names of the people it is about.
CREATE VIEW vitrine.events_names AS
    SELECT l.event_id AS id, c.names
    FROM crm.links AS l
    JOIN crm.visible_contacts AS c ON c.tenant = l.tenant AND c.id = l.contact_id;

CREATE VIEW vitrine.persons_names AS
    SELECT c.id, c.names FROM crm.visible_contacts AS c;

-- The labels of fields `tags` and `roles`; those that no visible row has stay out.
CREATE VIEW vitrine.persons_terms AS
    SELECT CASE b.kind WHEN 'tag' THEN 'tags' ELSE 'roles' END AS field,
           b.id::text AS id, w.language, w.label, w.norm
    FROM crm.labels AS b
    JOIN crm.label_words AS w ON w.tenant = b.tenant AND w.label_id = b.id
    WHERE b.tenant = (SELECT vitrine.tenant())
      AND (EXISTS (SELECT FROM crm.contact_tags AS t
                   JOIN crm.visible_contacts AS c
                       ON c.tenant = t.tenant AND c.id = t.contact_id
                   WHERE t.tenant = b.tenant AND t.label_id = b.id)
           OR EXISTS (SELECT FROM crm.links AS l
                      JOIN crm.visible_events AS e
                          ON e.tenant = l.tenant AND e.id = l.event_id
                      JOIN crm.visible_contacts AS c
                          ON c.tenant = l.tenant AND c.id = l.contact_id
                      WHERE l.tenant = b.tenant AND l.label_id = b.id));

CREATE VIEW vitrine.events_terms AS SELECT * FROM vitrine.persons_terms;

GRANT SELECT ON
    vitrine.persons, vitrine.persons_roles, vitrine.persons_names,
    vitrine.persons_terms, vitrine.events, vitrine.events_roles,
    vitrine.events_names, vitrine.events_terms
TO vitrine_service;

-- What is learnt of the texts: see `directory.learn`.
CREATE VIEW crm.contact_texts AS
    SELECT c.tenant, c.id, c.occurred_at, c.is_public AS is_open, c.tsv,
           to_tsvector('vitrine.plain', vitrine.en_norm(
               c.name || ' ' || coalesce(c.company, '') || ' ' || coalesce(c.city, '')
               || ' ' || coalesce(c.notes, ''))) AS plain
    FROM crm.contacts AS c;
CREATE VIEW crm.event_texts AS
    SELECT e.tenant, e.id, e.occurred_at, e.is_public AS is_open, e.tsv,
           to_tsvector('vitrine.plain', vitrine.en_norm(
               e.content || ' ' || coalesce(e.resolution, ''))) AS plain
    FROM crm.events AS e;
INSERT INTO directory.sources VALUES
    ('persons', 'crm.contact_texts'), ('events', 'crm.event_texts');

RESET ROLE;
