-- Extensions, roles and schemas. Run once on a fresh database by a superuser
-- (on RDS: a member of rds_superuser).
--
-- Tables belong to a role that nobody logs in as. The service role owns nothing,
-- can create nothing, and reads through views alone: a view that is not a security
-- barrier is safe only as long as that stays true.

CREATE EXTENSION IF NOT EXISTS vector SCHEMA public;
CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public;
CREATE EXTENSION IF NOT EXISTS unaccent SCHEMA public;
CREATE EXTENSION IF NOT EXISTS btree_gin SCHEMA public;
CREATE EXTENSION IF NOT EXISTS fuzzystrmatch SCHEMA public;

DO $$
BEGIN
    -- Roles belong to the cluster, not to the database.
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'vitrine_owner') THEN
        CREATE ROLE vitrine_owner NOLOGIN;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'vitrine_service') THEN
        CREATE ROLE vitrine_service LOGIN NOINHERIT;
    END IF;
END
$$;

-- Role settings survive every pooler and cost no round trip. A generic plan loses
-- the selectivity of a bound value: 0.14 ms becomes 135 ms.
ALTER ROLE vitrine_service SET statement_timeout = '3s';
ALTER ROLE vitrine_service SET idle_in_transaction_session_timeout = '5s';
ALTER ROLE vitrine_service SET plan_cache_mode = force_custom_plan;
ALTER ROLE vitrine_service SET jit = off;
-- In the default 4 MB a bitmap of 400,000 rows forgets which rows of a page were meant:
-- half of its pages were then read row by row. A search has two or three such nodes.
ALTER ROLE vitrine_service SET work_mem = '16MB';
-- Starting workers takes longer than a page does; the indexes lie on SSD.
ALTER ROLE vitrine_service SET max_parallel_workers_per_gather = 0;
ALTER ROLE vitrine_service SET random_page_cost = 1.1;
ALTER ROLE vitrine_service SET search_path = pg_catalog, public, pg_temp;
ALTER ROLE vitrine_service SET timezone = 'UTC';
ALTER ROLE vitrine_service SET hnsw.iterative_scan = relaxed_order;
ALTER ROLE vitrine_service SET hnsw.ef_search = 200;

-- What the service may see, what it may not, and who belongs where.
CREATE SCHEMA vitrine AUTHORIZATION vitrine_owner;
CREATE SCHEMA directory AUTHORIZATION vitrine_owner;
CREATE SCHEMA library AUTHORIZATION vitrine_owner;
CREATE SCHEMA crm AUTHORIZATION vitrine_owner;
GRANT USAGE ON SCHEMA vitrine TO vitrine_service;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;

-- A copy of a template database, and one that is restored without its privileges, comes
-- with the defaults of PUBLIC: everybody may then make temporary tables and functions,
-- with which a view that is no security barrier could be asked for hidden rows. Whoever
-- makes the copy calls this once more, as a superuser or the database's owner.
CREATE FUNCTION directory.harden() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format(
        'REVOKE ALL ON DATABASE %I FROM PUBLIC, vitrine_service', current_database()
    );
    EXECUTE format(
        'GRANT CONNECT ON DATABASE %I TO vitrine_service', current_database()
    );
END
$$;
REVOKE ALL ON FUNCTION directory.harden() FROM PUBLIC;
SELECT directory.harden();
