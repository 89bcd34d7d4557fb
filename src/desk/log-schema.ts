/**
 * The log in PostgreSQL: its tables, the functions that alone write to it, and the roles that may call them. Each step makes the
 * next version of the schema.
 */

/** Login roles get one of them: a dealer appends, an approver also lifts halts and raises limits. */
export const DEALER = 'hedge_dealer';
export const APPROVER = 'hedge_approver';

/** Rows that a function returns while the log is locked: a copy that lacks more pulls them first. */
export const MOST_LOCKED = 256;
/** Records of one append. */
export const MOST_APPENDED = 1_000;
/** In bytes. The intent of an action has every hedge of its side: some 200 bytes each. */
export const LONGEST_RECORD = 4_194_304;
/** Objects and lists within each other. hedge writes a few; the copy of a machine takes no text with more than a thousand. */
export const DEEPEST_RECORD = 64;

/** Codes of the errors that the functions raise. */
export const LOG_ENDS_ELSEWHERE = 'HD001';
export const NO_RECORD_OF_HEDGE = 'HD002';
export const ID_IN_USE = 'HD003';
export const APPEND_ONLY = 'HD004';

/** A missing standby would make every commit wait; a client may not switch off that a commit is on disk. */
const LOCKED = `
  PERFORM pg_catalog.set_config('lock_timeout', '5s', true),
    pg_catalog.set_config('statement_timeout', '10s', true),
    pg_catalog.set_config('idle_in_transaction_session_timeout', '5s', true),
    pg_catalog.set_config('tcp_user_timeout', '3s', true);
  IF pg_catalog.current_setting('server_version_num')::int >= 170000 THEN
    PERFORM pg_catalog.set_config('transaction_timeout', '15s', true);
  END IF;
  IF pg_catalog.current_setting('synchronous_commit') <> 'remote_apply' THEN
    PERFORM pg_catalog.set_config('synchronous_commit', 'on', true);
  END IF;
  LOCK TABLE hedge.head IN EXCLUSIVE MODE;`;

const TABLES = `
CREATE SCHEMA hedge;

CREATE TABLE hedge.head (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  seq bigint NOT NULL,
  hash bytea NOT NULL,
  name text NOT NULL,
  schema_version int NOT NULL,
  oldest_client text NOT NULL
);

CREATE TABLE hedge.records (
  seq bigint PRIMARY KEY,
  id text NOT NULL UNIQUE,
  record text NOT NULL,
  stamp text NOT NULL,
  prev bytea NOT NULL UNIQUE,
  hash bytea NOT NULL
);

CREATE FUNCTION hedge.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the log of a desk is only appended to' USING ERRCODE = '${APPEND_ONLY}';
END $$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON hedge.records
  FOR EACH STATEMENT EXECUTE FUNCTION hedge.refuse_change();
`;

/** A log of an earlier version gets these too. */
const FUNCTIONS = `
CREATE OR REPLACE FUNCTION hedge.lock_and_pull(since bigint)
RETURNS TABLE (seq bigint, id text, record text, stamp text, hash bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN${LOCKED}
  RETURN QUERY SELECT r.seq, r.id, r.record, r.stamp, r.hash
    FROM hedge.records r WHERE r.seq > since ORDER BY r.seq LIMIT ${MOST_LOCKED.toString()};
END $$;

-- after, after_hash: where the caller believes that the log ends; null: wherever it ends.
-- earlier: they were written before their machine joined. records: a JSON array of {"id", "record"}.
CREATE OR REPLACE FUNCTION hedge.append(since bigint, after bigint, after_hash bytea, earlier boolean, records text)
RETURNS TABLE (seq bigint, id text, record text, stamp text, hash bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  ending hedge.head%ROWTYPE;
  given json;
  own_id text;
  own_text text;
  known text;
  fields jsonb;
  is_record boolean;
  own_stamp text;
  own_hash bytea;
BEGIN${LOCKED}
  SELECT * INTO STRICT ending FROM hedge.head;
  IF after IS NOT NULL AND (ending.seq <> after OR ending.hash <> after_hash) THEN
    RAISE EXCEPTION 'the log ends at record %', ending.seq USING ERRCODE = '${LOG_ENDS_ELSEWHERE}';
  END IF;
  IF json_array_length(records::json) > ${MOST_APPENDED.toString()} THEN
    RAISE EXCEPTION 'too many records at once' USING ERRCODE = '${NO_RECORD_OF_HEDGE}';
  END IF;
  FOR given IN SELECT value FROM json_array_elements(records::json) LOOP
    own_id := given->>'id';
    own_text := given->>'record';
    IF own_id IS NULL OR own_text IS NULL OR own_id !~ '^[0-9a-f]{16}$' OR octet_length(own_text) > ${LONGEST_RECORD.toString()} THEN
      RAISE EXCEPTION 'not a record of hedge' USING ERRCODE = '${NO_RECORD_OF_HEDGE}';
    END IF;
    SELECT r.record INTO known FROM hedge.records r WHERE r.id = own_id;
    IF FOUND THEN
      IF known <> own_text THEN
        RAISE EXCEPTION 'another record has the ID %', own_id USING ERRCODE = '${ID_IN_USE}', DETAIL = own_id;
      END IF;
      CONTINUE;
    END IF;
    BEGIN
      fields := own_text::jsonb;
    EXCEPTION WHEN OTHERS THEN
      RAISE EXCEPTION 'record % is not JSON', own_id USING ERRCODE = '${NO_RECORD_OF_HEDGE}';
    END;
    is_record := jsonb_typeof(fields) = 'object';
    IF is_record THEN
      -- A field that is there twice would be read in two ways, and one that is no text would not be found.
      is_record := fields->'schema' = '3'::jsonb
        AND fields->>'kind' ~ '^[a-z_]{1,32}$'
        AND fields->>'at' ~ '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$'
        AND (SELECT count(*) = count(DISTINCT key) FROM json_each(own_text::json))
        AND NOT jsonb_path_exists(fields, '$.**{${DEEPEST_RECORD.toString()}}')
        AND NOT EXISTS (SELECT FROM jsonb_each(fields) AS field
          WHERE field.key = ANY (ARRAY['kind', 'at', 'action_id', 'idempotency_key', 'deal_id', 'chain_id', 'hedge_id'])
          AND jsonb_typeof(field.value) <> 'string');
    END IF;
    IF is_record IS NOT TRUE THEN
      RAISE EXCEPTION 'record % is not a record of hedge', own_id USING ERRCODE = '${NO_RECORD_OF_HEDGE}';
    END IF;
    own_stamp := json_build_object(
      'at', to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'by', session_user,
      'approver', pg_has_role(session_user, '${APPROVER}', 'USAGE'))::text;
    IF earlier THEN
      own_stamp := left(own_stamp, -1) || ', "earlier" : true}';
    END IF;
    own_hash := sha256(ending.hash
      || int4send(octet_length(convert_to(own_id, 'UTF8'))) || convert_to(own_id, 'UTF8')
      || int4send(octet_length(convert_to(own_text, 'UTF8'))) || convert_to(own_text, 'UTF8')
      || int4send(octet_length(convert_to(own_stamp, 'UTF8'))) || convert_to(own_stamp, 'UTF8'));
    INSERT INTO hedge.records VALUES (ending.seq + 1, own_id, own_text, own_stamp, ending.hash, own_hash);
    ending.seq := ending.seq + 1;
    ending.hash := own_hash;
  END LOOP;
  UPDATE hedge.head h SET seq = ending.seq, hash = ending.hash;
  RETURN QUERY SELECT r.seq, r.id, r.record, r.stamp, r.hash
    FROM hedge.records r WHERE r.seq > since ORDER BY r.seq LIMIT ${MOST_APPENDED.toString()};
END $$;
`;

const RIGHTS = `
REVOKE ALL ON SCHEMA hedge FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA hedge FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA hedge FROM PUBLIC;
GRANT USAGE ON SCHEMA hedge TO ${DEALER};
GRANT SELECT ON hedge.head, hedge.records TO ${DEALER};
GRANT EXECUTE ON FUNCTION hedge.lock_and_pull(bigint), hedge.append(bigint, bigint, bytea, boolean, text) TO ${DEALER};
`;

/** Step n makes version n of the schema from the one before. */
export const MIGRATIONS: readonly string[] = [`${TABLES}${FUNCTIONS}${RIGHTS}`, FUNCTIONS];

/** An older client does not know every rule of that schema. */
export const OLDEST_CLIENT = '0.0.0';

const makeRole = (role: string): string =>
  `DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${role}') THEN CREATE ROLE ${role} NOLOGIN; END IF; END $$;`;

/** The roles belong to the whole server: another desk on it may have made them. An approver is a dealer too. */
export const MAKE_ROLES = `${makeRole(DEALER)} ${makeRole(APPROVER)}
DO $$ BEGIN
  IF NOT pg_has_role('${APPROVER}', '${DEALER}', 'MEMBER') THEN GRANT ${DEALER} TO ${APPROVER}; END IF;
END $$`;
