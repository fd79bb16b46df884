import { type Versioned, SettingsConflict } from '#common';
import type { Database } from '../database/database.js';
import { run, type Work } from '../database/statement.js';

const tables = { app: 'rookery_apps', instance: 'rookery_instances' } as const;

/** The kinds of settings that a {@link SettingsTable} stores. */
type Kind = keyof typeof tables;

/** A change of an app or instance, which may be removed by now. */
interface Change {
  readonly id: string;
  readonly version: number;
}

interface Row {
  readonly settings: string;
  readonly version: number | string;
}

/** The version of settings unchanged since before Rookery counted changes. */
const uncounted = 1;

/** The apps or instances of the database, as JSON with a version each. */
export class SettingsTable<Settings> {
  private readonly select: string;

  constructor(
    private readonly database: Database,
    private readonly kind: Kind,
  ) {
    this.select = `SELECT kept.settings AS settings, COALESCE(changed.version, ${uncounted}) AS version
      FROM ${tables[kind]} kept LEFT JOIN rookery_setting_changes changed
      ON changed.kind = '${kind}' AND changed.id = kept.id`;
  }

  /** @param most the maximum number of rows */
  async all(most?: number): Promise<readonly Versioned<Settings>[]> {
    const rows = await this.database.read<Row>(
      `${this.select} ORDER BY kept.id ${most === undefined ? '' : `LIMIT ${most}`}`,
    );
    return rows.map((row) => this.keptOf(row));
  }

  async some(ids: readonly string[]): Promise<readonly Versioned<Settings>[]> {
    const { each, list } = this.database.dialect;
    const rows = await this.database.read<Row>(`${this.select} WHERE kept.id IN (SELECT value FROM ${each})`, [
      list(ids),
    ]);
    return rows.map((row) => this.keptOf(row));
  }

  /** The changes after a version, in order: reads only an index. */
  async changesAfter(version: number): Promise<readonly Change[]> {
    const rows = await this.database.read<{ readonly id: string; readonly version: number | string }>(
      'SELECT id, version FROM rookery_setting_changes WHERE kind = ? AND version > ? ORDER BY version',
      [this.kind, version],
    );
    return rows.map((row) => ({ id: row.id, version: Number(row.version) }));
  }

  /**
   * Runs a work that changes the settings of an id, and gives them the next version.
   * @param expected the version they must have; 0: they must not exist
   * @throws SettingsConflict if the version differs
   */
  async change(id: string, expected: number | undefined, work: () => Work<void>): Promise<void> {
    const { database, kind } = this;
    await database.write(function* () {
      // One change at a time, so that versions become visible in order and no reader skips one.
      yield* database.hold(`rookery ${kind}s`);
      if (expected !== undefined) yield* checkVersion(kind, id, expected);
      yield* work();
      yield* run(
        `INSERT INTO rookery_setting_changes (kind, id, version)
         SELECT ?, ?, COALESCE(MAX(version), ${uncounted}) + 1 FROM rookery_setting_changes WHERE kind = ?
         ON CONFLICT (kind, id) DO UPDATE SET version = excluded.version`,
        [kind, id, kind],
      );
    });
    database.notify(noticeOf(kind));
  }

  /** Calls `changed` when another process has changed settings; nothing if the database cannot notify. */
  watch(changed: () => void): (() => Promise<void>) | undefined {
    return this.database.listen(noticeOf(this.kind), changed);
  }

  private keptOf({ settings, version }: Row): Versioned<Settings> {
    // `save` wrote them.
    return { settings: JSON.parse(settings) as Settings, version: Number(version) };
  }
}

const noticeOf = (kind: Kind): string => `rookery_${kind}s_changed`;

function* checkVersion(kind: Kind, id: string, expected: number): Work<void> {
  const [row] = yield* run<{ readonly version: number | string }>(
    `SELECT COALESCE(changed.version, ${uncounted}) AS version FROM ${tables[kind]} kept
     LEFT JOIN rookery_setting_changes changed ON changed.kind = ? AND changed.id = kept.id WHERE kept.id = ?`,
    [kind, id],
  );
  const version = Number(row?.version ?? 0);
  if (version === expected) return;
  const shown = JSON.stringify(id);
  if (expected === 0)
    throw new SettingsConflict(`There is ${kind === 'app' ? 'an app' : 'an instance'} ${shown} already`);
  if (version === 0) throw new SettingsConflict(`The ${kind} ${shown} was removed meanwhile`);
  throw new SettingsConflict(`The ${kind} ${shown} was changed meanwhile: reload it`);
}
