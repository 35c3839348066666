-- The media library: assets with tenant-defined metadata, a vocabulary, colours.
--
-- Every GIN begins with the tenant, and binds are cast to the column's own type:
-- btree_gin compares no two types with each other.

SET ROLE vitrine_owner;

-- What a tenant defines beside the fixed columns; the keys of `assets.meta`.
CREATE TABLE library.definitions (
    tenant text NOT NULL REFERENCES directory.tenants ON DELETE CASCADE,
    key text NOT NULL CHECK (key ~ '^[a-z][a-z0-9_]*$'),
    type text NOT NULL CHECK (
        type IN ('text', 'keyword', 'number', 'date', 'boolean', 'vocabulary')
    ),
    multi boolean NOT NULL DEFAULT false,
    unit text,
    currency text,
    whole boolean NOT NULL DEFAULT false,
    label jsonb NOT NULL,
    keywords text[] NOT NULL DEFAULT '{}',
    section text NOT NULL DEFAULT '',
    position integer NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, key)
);

CREATE TABLE library.assets (
    tenant text NOT NULL REFERENCES directory.tenants ON DELETE CASCADE,
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    language text NOT NULL CHECK (language IN ('fr', 'en')),
    kind text NOT NULL,
    status text NOT NULL,
    title text NOT NULL,
    description text,
    keywords text,
    reference text,
    file_name text,
    mime_type text,
    photographer text,
    credit text,
    width integer CHECK (width > 0),
    height integer CHECK (height > 0),
    orientation text GENERATED ALWAYS AS (
        CASE WHEN width > height THEN 'landscape'
             WHEN width < height THEN 'portrait'
             WHEN width = height THEN 'square' END
    ) STORED,
    megabytes numeric,
    duration integer,
    rating integer CHECK (rating BETWEEN 1 AND 5),
    downloads integer NOT NULL DEFAULT 0,
    tags text[] NOT NULL DEFAULT '{}',
    colours text[] NOT NULL DEFAULT '{}',
    colours_cells text[] GENERATED ALWAYS AS (vitrine.cells(colours)) STORED,
    meta jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(meta) = 'object'),
    -- When it was made; a walk through pages needs a value in every row.
    occurred_at timestamptz NOT NULL,
    imported_at timestamptz NOT NULL DEFAULT now(),
    owner text NOT NULL,
    teams text[] NOT NULL DEFAULT '{}',
    is_public boolean NOT NULL DEFAULT false,
    internal_note text,
    licence_cost integer,
    tsv tsvector GENERATED ALWAYS AS (
        vitrine.vector(language, title, keywords, description,
            coalesce(photographer, '') || ' ' || coalesce(reference, ''))
    ) STORED,
    PRIMARY KEY (tenant, id)
);
-- Unpacking `meta` from aside takes six times as long as reading it in place.
ALTER TABLE library.assets ALTER COLUMN meta SET STORAGE MAIN;
CREATE INDEX assets_walk ON library.assets (tenant, occurred_at DESC, id DESC);
-- A word and common values together are few rows: one index finds these at once
-- (4 ms), where a walk of either reads tens of thousands (150 ms). And a text that few
-- or no assets hold would be looked for in each (1 s in 100,000).
CREATE INDEX assets_text ON library.assets
    USING gin (tenant, tsv, vitrine.scoped(tsv, vitrine.marks_of(
        tenant, is_public, owner, teams)), kind, status, orientation, colours_cells,
        vitrine.said_in(meta));
CREATE INDEX assets_meta ON library.assets USING gin (tenant, meta jsonb_path_ops);
CREATE INDEX assets_tags ON library.assets USING gin (tenant, tags);
CREATE INDEX assets_title ON library.assets
    USING gin (tenant, vitrine.fold(title) public.gin_trgm_ops);
CREATE INDEX assets_reference ON library.assets
    (tenant, vitrine.squash(reference) text_pattern_ops);
CREATE INDEX assets_imported ON library.assets (tenant, imported_at);
CREATE INDEX assets_orientation ON library.assets (tenant, orientation);
CREATE INDEX assets_width ON library.assets (tenant, width);
CREATE INDEX assets_height ON library.assets (tenant, height);

-- Numbers and dates of `meta` once more, narrow and sorted: counting a small range
-- takes 4 ms here and 287 ms in jsonb. Kept by trigger, never written by hand.
CREATE TABLE library.numbers (
    tenant text NOT NULL,
    field text NOT NULL,
    num numeric NOT NULL,
    asset_id uuid NOT NULL,
    FOREIGN KEY (tenant, asset_id) REFERENCES library.assets ON DELETE CASCADE
);
CREATE INDEX numbers_range ON library.numbers (tenant, field, num, asset_id);
CREATE INDEX numbers_asset ON library.numbers (tenant, asset_id, field);

-- The numbers and dates among an asset's values, as the tenant defines them.
CREATE FUNCTION library.numbers_in(whose text, meta jsonb)
RETURNS TABLE (field text, num numeric) LANGUAGE sql STABLE AS $$
    SELECT d.key, vitrine.ordinal(d.type, v.value)
    FROM library.definitions AS d
    CROSS JOIN LATERAL jsonb_array_elements(
        CASE jsonb_typeof(meta -> d.key) WHEN 'array' THEN meta -> d.key
        ELSE jsonb_build_array(meta -> d.key) END
    ) AS v
    WHERE d.tenant = whose AND d.type IN ('number', 'date') AND meta ? d.key
      AND vitrine.ordinal(d.type, v.value) IS NOT NULL
$$;

CREATE FUNCTION library.keep_numbers() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        DELETE FROM library.numbers AS n USING changed AS c
        WHERE n.tenant = c.tenant AND n.asset_id = c.id;
    END IF;
    INSERT INTO library.numbers (tenant, field, num, asset_id)
    SELECT c.tenant, n.field, n.num, c.id
    FROM changed AS c CROSS JOIN LATERAL library.numbers_in(c.tenant, c.meta) AS n;
    RETURN NULL;
END
$$;

-- All of a tenant's numbers anew: after its definitions changed, or after a load that
-- fired no trigger.
CREATE FUNCTION library.renumber(whose text) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    DELETE FROM library.numbers AS n WHERE n.tenant = whose;
    INSERT INTO library.numbers (tenant, field, num, asset_id)
    SELECT a.tenant, n.field, n.num, a.id
    FROM library.assets AS a CROSS JOIN LATERAL library.numbers_in(a.tenant, a.meta) AS n
    WHERE a.tenant = whose;
$$;

-- Once a statement, not once a row: a COPY of 20,000 assets stays one insert.
CREATE TRIGGER numbers_added AFTER INSERT ON library.assets
    REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION library.keep_numbers();
CREATE TRIGGER numbers_changed AFTER UPDATE ON library.assets
    REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION library.keep_numbers();

-- One row per label: a term has one id and a label in each language.
CREATE TABLE library.terms (
    tenant text NOT NULL REFERENCES directory.tenants ON DELETE CASCADE,
    field text NOT NULL,
    id text NOT NULL,
    language text NOT NULL,
    label text NOT NULL,
    norm text GENERATED ALWAYS AS (vitrine.fold(label)) STORED,
    is_public boolean NOT NULL DEFAULT true,
    teams text[] NOT NULL DEFAULT '{}',
    PRIMARY KEY (tenant, id, language)
);
CREATE INDEX terms_exact ON library.terms (tenant, field, norm);
CREATE INDEX terms_alike ON library.terms
    USING gin (tenant, field, norm public.gin_trgm_ops);

-- What assets mean: one vector each, of title, keywords and description, made by the
-- embedder that the manifest names. Apart from the assets, whose scans stay short.
CREATE TABLE library.vectors (
    tenant text NOT NULL,
    asset_id uuid NOT NULL,
    embedding public.halfvec(512) NOT NULL,
    PRIMARY KEY (tenant, asset_id),
    FOREIGN KEY (tenant, asset_id) REFERENCES library.assets ON DELETE CASCADE
);
-- A row whose words changed means something else: it is embedded anew, or not found by
-- its meaning, but never by what it used to say.
CREATE FUNCTION library.forget_meaning() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM library.vectors AS e
    WHERE e.tenant = NEW.tenant AND e.asset_id = NEW.id;
    RETURN NULL;
END
$$;
CREATE TRIGGER meaning_forgotten AFTER UPDATE OF title, keywords, description
    ON library.assets FOR EACH ROW
    WHEN ((OLD.title, OLD.keywords, OLD.description)
        IS DISTINCT FROM (NEW.title, NEW.keywords, NEW.description))
    EXECUTE FUNCTION library.forget_meaning();
CREATE INDEX vectors_near ON library.vectors
    USING hnsw (embedding public.halfvec_cosine_ops) WITH (m = 16, ef_construction = 64);

-- What the service reads --------------------------------------------------------

CREATE VIEW vitrine.media AS
    SELECT a.id, a.tenant, a.kind, a.status, a.title, a.description, a.keywords,
           a.reference, a.file_name, a.mime_type, a.photographer, a.credit,
           a.width, a.height, a.orientation, a.megabytes, a.duration, a.rating,
           a.downloads, a.tags, a.colours, a.colours_cells, a.meta,
           a.occurred_at, a.imported_at, a.is_public, a.internal_note,
           a.licence_cost, a.tsv, vitrine.scoped(a.tsv, vitrine.marks_of(
               a.tenant, a.is_public, a.owner, a.teams)) AS scoped
    FROM library.assets AS a
    WHERE a.tenant = (SELECT vitrine.tenant())
      AND (a.is_public
           OR a.owner = (SELECT vitrine.subject())
           OR a.teams && (SELECT vitrine.teams())::text[]);

-- Read only beside `vitrine.media`, whose rows alone count.
CREATE VIEW vitrine.media_numbers AS
    SELECT n.field, n.num, n.asset_id AS id FROM library.numbers AS n
    WHERE n.tenant = (SELECT vitrine.tenant());

-- Read only beside `vitrine.media`, whose rows alone count.
CREATE VIEW vitrine.media_vectors AS
    SELECT e.asset_id AS id, e.embedding FROM library.vectors AS e
    WHERE e.tenant = (SELECT vitrine.tenant());

CREATE VIEW vitrine.media_terms AS
    SELECT t.field, t.id, t.language, t.label, t.norm FROM library.terms AS t
    WHERE t.tenant = (SELECT vitrine.tenant())
      AND (t.is_public OR t.teams && (SELECT vitrine.teams())::text[]);

CREATE VIEW vitrine.media_definitions AS
    SELECT d.key, d.type, d.multi, d.unit, d.currency, d.whole, d.label,
           d.keywords, d.section, d.position
    FROM library.definitions AS d
    WHERE d.tenant = (SELECT vitrine.tenant());

GRANT SELECT ON
    vitrine.media, vitrine.media_numbers, vitrine.media_terms,
    vitrine.media_definitions, vitrine.media_vectors
TO vitrine_service;

-- What is learnt of the texts: see `directory.learn`.
CREATE VIEW library.texts AS
    SELECT a.tenant, a.id, a.occurred_at, a.is_public AS is_open, a.tsv,
           to_tsvector('vitrine.plain', vitrine.en_norm(
               a.title || ' ' || coalesce(a.keywords, '') || ' '
               || coalesce(a.description, '') || ' ' || coalesce(a.photographer, '')
           )) AS plain
    FROM library.assets AS a;
INSERT INTO directory.sources VALUES ('media', 'library.texts');

RESET ROLE;
