/** The differences between the two databases. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  /** A row source with the single column `value`, from one parameter: `list(values)`. */
  readonly each: string;
  /** The parameter for `each`. */
  list(values: Iterable<string>): unknown;
  /** Ends a SELECT to lock its row until the end of the transaction. */
  readonly forUpdate: string;
  /** Ends a SELECT to skip rows that other transactions hold. */
  readonly skipLocked: string;
  /** A statement that locks a name until the end of the transaction; undefined where there is only one writer. */
  readonly holdName: string | undefined;
  /** The same for several names: `list(names)`. */
  readonly holdNames: string | undefined;
  /**
   * The position of the `n`th trigger that one statement adds. SQLite has one writer, so it can simply count on;
   * PostgreSQL assigns the position at the commit, and until then uses one below 0 that keeps the order within the
   * transaction.
   */
  nextPosition(n: number): string;
  /**
   * Inside the transaction of a check: fails unless the disk has room for about 300 KB, whatever room the tables have
   * within themselves.
   */
  readonly takeRoom: string;
  /** A collation that compares bytes. */
  readonly byteOrder: string | undefined;
  /** The bytes of a text in UTF-8. */
  bytesOf(column: string): string;
}

/** SQLite has one writer at a time, so it needs no row locks. */
export const sqlite: Dialect = {
  name: 'sqlite',
  each: 'json_each(?)',
  list: (values) => JSON.stringify([...values]),
  forUpdate: '',
  skipLocked: '',
  holdName: undefined,
  holdNames: undefined,
  nextPosition: (n) => `(SELECT COALESCE(MAX(position), 0) + ${n} FROM rookery_triggers)`,
  // More than the file's free pages, within reason. The check that inserts it deletes it.
  takeRoom: `INSERT INTO rookery_storage_checks (id, padding)
    SELECT 'room', zeroblob(MIN(freelist_count + 72, 1024) * page_size) FROM pragma_freelist_count, pragma_page_size`,
  byteOrder: undefined,
  bytesOf: (column) => `LENGTH(CAST(${column} AS BLOB))`,
};

export const postgres: Dialect = {
  name: 'postgres',
  each: 'unnest(?::text[]) AS each(value)',
  list: (values) => [...values],
  forUpdate: 'FOR NO KEY UPDATE',
  skipLocked: 'FOR NO KEY UPDATE SKIP LOCKED',
  holdName: 'SELECT pg_advisory_xact_lock(hashtextextended(?, 0))',
  holdNames: 'SELECT pg_advisory_xact_lock(hashtextextended(value, 0)) FROM unnest(?::text[]) AS each(value)',
  nextPosition: () => "-nextval('rookery_trigger_positions')",
  // A temporary table in the tablespace of the others, where their files grow, if the user may create one.
  takeRoom: `DO $$ BEGIN
    IF has_database_privilege(current_database(), 'TEMPORARY') THEN
      PERFORM set_config('temp_tablespaces', '', true);
      CREATE TEMPORARY TABLE room_of_disk ON COMMIT DROP AS SELECT value FROM generate_series(1, 8000) AS value;
    END IF;
  END $$`,
  byteOrder: 'C',
  bytesOf: (column) => `OCTET_LENGTH(${column})`,
};
