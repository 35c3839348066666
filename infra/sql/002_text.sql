-- One spelling for many: folding, full-text configurations, identifiers, colours.
--
-- Everything here is immutable, so that it can stand in indexes and stored columns.
-- A change of any of it leaves stored vectors stale: make a new name, then rewrite.

SET ROLE vitrine_owner;

-- The same folding as `language.folding.fold`: case, accents, ligatures, quotes,
-- dashes and spaces, for any script.
CREATE FUNCTION vitrine.fold_any(written text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN normalize(btrim(regexp_replace(regexp_replace(
    translate(
        replace(replace(replace(replace(replace(replace(
            normalize(lower(normalize(written, NFKD)), NFKD),
            'ß', 'ss'), 'œ', 'oe'), 'æ', 'ae'),
            U&'\200B', ''), U&'\00AD', ''), U&'\FEFF', ''),
        U&'ςøłđðı\0345\2019\2018\02BC\02B9´`\201C\201D\201E«»\2010\2011\2012\2013\2014\2015\2212\2044×',
        U&'σolddiι''''''''''''"""""-------/x'
    ),
    U&'[\0300-\036F\1AB0-\1AFF\1DC0-\1DFF]', '', 'g'),
    U&'[\0009-\000D\001C-\0020\0085\00A0\1680\2000-\200A\2028\2029\202F\205F\3000]+',
    ' ', 'g')), NFC);

-- The same again, quickly for what most texts are made of: plain words stay, and
-- Western letters go through the dictionary, which agrees on them.
CREATE FUNCTION vitrine.fold(written text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE
    WHEN written ~ '^[a-z0-9]+([ ''-][a-z0-9]+)*$' THEN written
    WHEN written ~ U&'^[!-_a-~À-ÖØ-Ýßà-öø-ýÿŒœ\2019\2013]+( [!-_a-~À-ÖØ-Ýßà-öø-ýÿŒœ\2019\2013]+)*$'
        THEN lower(public.unaccent('public.unaccent'::regdictionary, written))
    ELSE vitrine.fold_any(written)
END;

-- The same as `language.folding.squash`: the letters and digits of a code.
CREATE FUNCTION vitrine.squash(code text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN regexp_replace(vitrine.fold(code),
    '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b4\u00b6-\u00b9'
    '\u00bb-\u00bf\u00d7\u00f7\u2000-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020'
    '\u3030\u303d-\u303f\ufe00-\ufe6f\ufff0-\uffff\U0001f000-\U0001faff]',
    '', 'g');

-- A folded text as a LIKE pattern that means itself, with `\` as escape.
CREATE FUNCTION vitrine.literal(folded text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN replace(replace(replace(folded, '\', '\\'), '%', '\%'), '_', '\_');

-- Without its accents a French word loses the suffix rules of the stemmer; folding
-- é, ée, és, ées to one ending keeps them together (51 % of such pairs become 100 %).
-- A slash parts words: "chair/sofa" would be read as the path of a file.
CREATE FUNCTION vitrine.fr_norm(written text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN regexp_replace(
    lower(translate(public.unaccent('public.unaccent'::regdictionary, written), '/', ' ')),
    '(..)(ees|ee|es)\M', '\1e', 'g'
);

CREATE FUNCTION vitrine.en_norm(written text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN lower(translate(public.unaccent('public.unaccent'::regdictionary, written), '/', ' '));

CREATE TEXT SEARCH CONFIGURATION vitrine.fr_unaccent (COPY = pg_catalog.french);
ALTER TEXT SEARCH CONFIGURATION vitrine.fr_unaccent
    ALTER MAPPING FOR hword, hword_part, word
    WITH public.unaccent, pg_catalog.french_stem;
CREATE TEXT SEARCH CONFIGURATION vitrine.en_unaccent (COPY = pg_catalog.english);
ALTER TEXT SEARCH CONFIGURATION vitrine.en_unaccent
    ALTER MAPPING FOR hword, hword_part, word
    WITH public.unaccent, pg_catalog.english_stem;
-- Names and dictionaries: no stems, no stop words.
CREATE TEXT SEARCH CONFIGURATION vitrine.plain (COPY = pg_catalog.simple);
ALTER TEXT SEARCH CONFIGURATION vitrine.plain
    ALTER MAPPING FOR hword, hword_part, word
    WITH public.unaccent, pg_catalog.simple;

-- A document's vector in its tenant's language: A weighs most, D least.
CREATE FUNCTION vitrine.vector(language text, a text, b text, c text, d text)
RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE language
    WHEN 'en' THEN
        setweight(to_tsvector('vitrine.en_unaccent', vitrine.en_norm(coalesce(a, ''))), 'A')
        || setweight(to_tsvector('vitrine.en_unaccent', vitrine.en_norm(coalesce(b, ''))), 'B')
        || setweight(to_tsvector('vitrine.en_unaccent', vitrine.en_norm(coalesce(c, ''))), 'C')
        || setweight(to_tsvector('vitrine.en_unaccent', vitrine.en_norm(coalesce(d, ''))), 'D')
    ELSE
        setweight(to_tsvector('vitrine.fr_unaccent', vitrine.fr_norm(coalesce(a, ''))), 'A')
        || setweight(to_tsvector('vitrine.fr_unaccent', vitrine.fr_norm(coalesce(b, ''))), 'B')
        || setweight(to_tsvector('vitrine.fr_unaccent', vitrine.fr_norm(coalesce(c, ''))), 'C')
        || setweight(to_tsvector('vitrine.fr_unaccent', vitrine.fr_norm(coalesce(d, ''))), 'D')
END;

-- A lexeme as a query of its own, or as the beginning of others.
CREATE FUNCTION vitrine.term(lexeme text, ahead boolean) RETURNS tsquery
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ('''' || replace(replace(lexeme, '\', '\\'), '''', '''''')
    || CASE WHEN ahead THEN ''':*' ELSE '''' END)::tsquery;

-- Whom a row is for, or who asks, as eight digits: `*` is all of a tenant, `@` and a
-- subject, `#` and a team. Two that share theirs by chance only share an index's page:
-- the view still decides.
CREATE FUNCTION vitrine.mark(tenant text, whom text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN substr(md5(tenant || ' ' || whom), 1, 8);

-- Each lexeme behind each mark of its row. An index of these is entered at what the
-- caller may see: rows that are hidden, and other tenants' rows, are not met at all.
-- For an index alone: its cost says that no row is to be asked. One string of all words
-- is cut in a tenth of the time that a query over them takes; no lexeme has the sign.
CREATE FUNCTION vitrine.scoped(tsv tsvector, marks text[]) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS $$
DECLARE
    words text[] := tsvector_to_array(tsv);
    made text[] := '{}';
    mark text;
BEGIN
    IF cardinality(words) > 0 THEN
        FOREACH mark IN ARRAY array_remove(marks, NULL) LOOP
            made := made || string_to_array(
                mark || array_to_string(words, chr(1) || mark), chr(1)
            );
        END LOOP;
    END IF;
    RETURN array_to_tsvector(made);
END
$$;

-- A query for one who has these marks: each word behind any of them. What it denies
-- and in what order words stand is left to the row, which such a vector can't tell.
CREATE FUNCTION vitrine.scoped_query(asked tsquery, marks text[]) RETURNS tsquery
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
RETURN CASE WHEN querytree(asked) NOT IN ('', 'T') THEN regexp_replace(
    regexp_replace(querytree(asked), '<(-|\d+)>', '&', 'g'),
    '''((?:[^'']|'''')*)''(:[*A-D]+)?',
    '(''' || array_to_string(marks, '\1''\2|''') || '\1''\2)', 'g'
)::tsquery END;

-- Whether a query asks for no more than words, which such a vector tells in full. Of a
-- query that is known beforehand the planner knows the answer, and asks no row.
CREATE FUNCTION vitrine.is_plain(asked tsquery) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN asked::text !~ '[<!]';

-- How often a term stands in a text. With equal weights `ts_rank` of one term is the
-- sum of 1/j² up to its count, over π²/6, so that the sum tells the count, up to 20.
CREATE FUNCTION vitrine.occurrences(rank real) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN width_bucket(1.64493406685 * rank + 0.0002, ARRAY[
    1, 1.25, 1.361111, 1.423611, 1.463611, 1.491389, 1.511797, 1.527422, 1.539768,
    1.549768, 1.558032, 1.564977, 1.570894, 1.575996, 1.580440, 1.584347, 1.587807,
    1.590893, 1.593663, 1.596163]::float8[]);

-- How much a term tells that stands in `held` of `documents` texts (Lucene's BM25).
CREATE FUNCTION vitrine.rarity(documents integer, held integer) RETURNS float8
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ln(1 + (greatest(documents, held) - held + 0.5) / (held + 0.5)::float8);

-- A word's letters in order: two swapped ones leave few trigrams but all letters.
CREATE FUNCTION vitrine.letters(word text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT string_agg(c, '' ORDER BY c COLLATE "C") FROM regexp_split_to_table(word, '') AS c
$$;

-- A role or tag by its stems, so that "fournisseurs" is "Fournisseur".
CREATE FUNCTION vitrine.role_key(label text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN coalesce(
    nullif(array_to_string(tsvector_to_array(
        to_tsvector('vitrine.fr_unaccent', vitrine.fr_norm(label))), ' '), ''),
    vitrine.fold(label)
);

-- Where a colour lies: in a cube of sixteen steps a channel, named by first digits.
CREATE FUNCTION vitrine.cell(colour text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN lower(substr(colour, 2, 1) || substr(colour, 4, 1) || substr(colour, 6, 1));

-- The cells of several colours, in three sizes: a box of any width touches at most
-- sixty-four of one, where it would touch three hundred of the smallest.
CREATE FUNCTION vitrine.cells(colours text[]) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT array_agg(DISTINCT k.key)
    FROM unnest(colours) AS c CROSS JOIN LATERAL (VALUES
        (vitrine.cell(c)),
        ('m' || translate(vitrine.cell(c), '13579bdf', '02468ace')),
        ('w' || translate(vitrine.cell(c), '1235679abdef', '000444888ccc'))
    ) AS k (key)
$$;

-- The texts among tenant-defined values, as "key folded text", for an index to find
-- one by. Left out: what begins like a number, a list, an id or a truth, which are
-- found by containment. Beyond sixty signs texts are told apart in their row. Its cost
-- says that the index is to be asked, and not the row.
CREATE FUNCTION vitrine.said_in(meta jsonb) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000 AS $$
    SELECT array_agg(m.key || ' ' || left(vitrine.fold(left(m.value, 400)), 60))
    FROM jsonb_each_text(meta) AS m
    WHERE m.value !~ '^([0-9[{]|true$|false$|[0-9a-f]{8}-)'
$$;

-- True of each row, and dear: beside a test of the text it makes the planner ask the
-- index for rows that have the text, and not walk until it meets one. It runs last, on
-- rows that have passed everything else, and in a language that nothing is inlined from.
CREATE FUNCTION vitrine.dear(id uuid) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 10000 AS $$
BEGIN
    RETURN TRUE;
END
$$;

-- Below, nothing is STRICT whose body is no strict expression: only so inlined.

-- A tenant-defined value as its type, NULL where it is none. A bare cast would
-- raise on a hidden row's text and so tell of it.
CREATE FUNCTION vitrine.number_of(stored jsonb) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE jsonb_typeof(stored) WHEN 'number' THEN stored::numeric END;

CREATE FUNCTION vitrine.date_of(stored jsonb) RETURNS date
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN stored #>> '{}' ~ '^\d{4}-\d\d-\d\d$'
    AND pg_input_is_valid(stored #>> '{}', 'date') THEN (stored #>> '{}')::date END;

CREATE FUNCTION vitrine.time_of(stored jsonb) RETURNS time
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN stored #>> '{}' ~ '^\d\d:\d\d(:\d\d(\.\d+)?)?$'
    AND pg_input_is_valid(stored #>> '{}', 'time') THEN (stored #>> '{}')::time END;

CREATE FUNCTION vitrine.instant_of(stored jsonb) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN stored #>> '{}' ~ '^\d{4}-\d\d-\d\d[T ][\d:.]+(Z|[+-]\d\d(:?\d\d)?)$'
    AND pg_input_is_valid(stored #>> '{}', 'timestamptz')
    THEN (stored #>> '{}')::timestamptz END;

-- The number under which the side tables keep a number, or a date as its epoch.
CREATE FUNCTION vitrine.ordinal(type text, stored jsonb) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE type
    WHEN 'number' THEN vitrine.number_of(stored)
    WHEN 'date' THEN extract(epoch FROM vitrine.date_of(stored)::timestamp)
END;

GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA vitrine TO vitrine_service;
RESET ROLE;
