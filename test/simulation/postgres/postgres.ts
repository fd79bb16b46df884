import { PGlite } from '@electric-sql/pglite';
import { DataSource } from 'typeorm';
import { migrate } from 'rookery/typeorm';
import { dataSourceOptions } from 'rookery/internal/typeorm';
import { PreparedStatements } from './prepared-statements.js';
import { savedData } from './saved-data.js';
import { type Message, messagesIn, query, textsOf } from './wire-format.js';

/** Functions that stand before those of PostgreSQL on the search path: they read the simulated time. */
const clock = ['now', 'clock_timestamp', 'statement_timestamp', 'transaction_timestamp'].map(
  (name) => `CREATE FUNCTION simulated.${name}() RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT timestamptz 'epoch' + current_setting('simulated.now')::bigint * interval '1 microsecond' $$;`,
);

interface Table {
  readonly name: string;
  readonly isLogged: boolean;
}

let opened: Promise<Postgres> | undefined;

/**
 * PostgreSQL in this process, as WebAssembly, with Rookery's tables: one backend, which runs what it is given at once.
 * Its time is that of the simulation.
 */
export class Postgres {
  private now = '';
  private tables: readonly Table[] = [];
  private readonly statements = new PreparedStatements();

  private constructor(private readonly lite: PGlite) {}

  /** All runs of a process share one, since starting it takes time. */
  static open(stream: (postgres: Postgres) => object): Promise<Postgres> {
    return (opened ??= Postgres.start(stream));
  }

  /** @param stream makes a connection of pg to it, over which the tables are created */
  private static async start(stream: (postgres: Postgres) => object): Promise<Postgres> {
    const loadDataDir = await savedData(async () => {
      const made = new Postgres(await PGlite.create());
      made.do(`CREATE SCHEMA simulated; CREATE SCHEMA replica; ${clock.join(' ')}`);
      made.begin();
      await made.createTables(stream);
      // Nothing else writes to its disk what was committed.
      made.do('CHECKPOINT');
      const data = await made.lite.dumpDataDir('none');
      await made.lite.close();
      return data;
    });
    const postgres = new Postgres(await PGlite.create({ loadDataDir }));
    postgres.begin();
    postgres.knowTables();
    return postgres;
  }

  private begin(): void {
    this.do(`SET search_path = public, simulated, pg_catalog; SET plan_cache_mode = force_generic_plan; SET jit = off;
      SET synchronous_commit = off`);
  }

  private async createTables(stream: (postgres: Postgres) => object): Promise<void> {
    const options = { ...dataSourceOptions('postgres://simulated/simulated'), extra: { stream: () => stream(this) } };
    const dataSource = await new DataSource(options).initialize();
    await migrate(dataSource);
    await dataSource.destroy();
  }

  private knowTables(): void {
    const found = this.rows(`SELECT relname, relpersistence FROM pg_class
      WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'rookery_migrations' ORDER BY 1`);
    this.tables = found.map(([name, persistence]) => ({ name: name!, isLogged: persistence === 'p' }));
    for (const { name } of this.logged) this.do(`CREATE UNLOGGED TABLE replica.${name} AS TABLE ${name}`);
  }

  /** Empties it: a run finds nothing of those before, plans of statements included. */
  reset(): void {
    this.do('ROLLBACK');
    this.do(`TRUNCATE ${this.tables.map(({ name }) => name).join(', ')} RESTART IDENTITY`);
    this.do(`TRUNCATE ${this.logged.map(({ name }) => `replica.${name}`).join(', ')}`);
  }

  /** As after a crash. */
  emptyUnlogged(): void {
    const unlogged = this.tables.filter(({ isLogged }) => !isLogged);
    this.do(`TRUNCATE ${unlogged.map(({ name }) => name).join(', ')}`);
  }

  /** A replica gets what is committed. */
  replicate(): void {
    this.do(
      this.logged
        .map(({ name }) => `DELETE FROM replica.${name}; INSERT INTO replica.${name} TABLE ${name}`)
        .join('; '),
    );
  }

  /** The replica takes its place: what was committed since is lost, and unlogged tables are empty. */
  promoteReplica(): void {
    this.emptyUnlogged();
    const logged = this.logged.map(({ name }) => name);
    const copies = logged.map((name) => `INSERT INTO ${name} TABLE replica.${name}`);
    this.do(`SET session_replication_role = replica; TRUNCATE ${logged.join(', ')}; ${copies.join('; ')};
      SET session_replication_role = DEFAULT`);
  }

  /**
   * Runs messages of a connection.
   * @param microseconds the time, since the epoch
   */
  run(messages: Buffer, microseconds: string): readonly Message[] {
    const { bytes, answered, failed } = this.statements.of(messages);
    const answers = this.answersTo(bytes, microseconds);
    if (answers.some(({ type }) => type === 'E')) failed();
    return answered ? [...messagesIn(answered), ...answers] : answers;
  }

  private answersTo(messages: Buffer, microseconds: string): readonly Message[] {
    if (microseconds === this.now) return messagesIn(this.exec(messages));
    this.now = microseconds;
    const all = messagesIn(this.exec(Buffer.concat([setTime(microseconds), messages])));
    return all.slice(all.findIndex(({ type }) => type === 'Z') + 1);
  }

  /** The rows of a statement, as texts. @throws if it fails */
  rows(text: string): readonly (readonly (string | null)[])[] {
    const all = messagesIn(this.exec(query(text)));
    const failure = all.find(({ type }) => type === 'E');
    if (failure) throw new Error(`${failure.bytes.toString().replaceAll('\0', ' ')}: ${text}`);
    return all.filter(({ type }) => type === 'D').map(textsOf);
  }

  /** Its own timers, by which it would write down statistics, are none of the world's: they would be events of it. */
  private exec(messages: Buffer): Uint8Array {
    const { setTimeout } = globalThis;
    globalThis.setTimeout = (() => 0) as never;
    try {
      return this.lite.execProtocolRawSync(messages);
    } finally {
      globalThis.setTimeout = setTimeout;
    }
  }

  private get logged(): readonly Table[] {
    return this.tables.filter(({ isLogged }) => isLogged);
  }

  private do(text: string): void {
    this.rows(text);
  }
}

const setTime = (microseconds: string): Buffer => query(`SET simulated.now = '${microseconds}'`);
