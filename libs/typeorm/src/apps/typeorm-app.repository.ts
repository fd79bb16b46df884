import { type BeforeApplicationShutdown, Injectable, type OnModuleInit } from '@nestjs/common';
import { type AppConfig, AppRepository } from 'rookery/channels';
import { type Awaitable, isStorable, type Versioned, SettingsConflict } from '#common';
import { Database } from '../database/database.js';
import { run, type Work } from '../database/statement.js';
import { Remembered } from '../remembered.js';
import { SettingsTable } from '../settings/settings-table.js';
import { KnownApps } from './known-apps.js';

const idOfKey = 'SELECT app_id AS id FROM rookery_app_keys WHERE key = ?';

/**
 * In the database. Each process keeps up to 10,000 apps in memory, so no request waits for them; with more, it looks
 * each app up once a second.
 */
@Injectable()
export class TypeOrmAppRepository extends AppRepository implements OnModuleInit, BeforeApplicationShutdown {
  override readonly editing = this;
  private readonly table: SettingsTable<AppConfig>;
  private readonly known: KnownApps;
  private readonly byId = new Remembered<AppConfig>();
  private readonly byKey = new Remembered<AppConfig>();
  private readonly watchers: ((ids: readonly string[]) => void)[] = [];

  constructor(private readonly database: Database) {
    super();
    this.table = new SettingsTable(database, 'app');
    this.known = new KnownApps(this.table, (ids) => this.haveChanged(ids));
  }

  async onModuleInit(): Promise<void> {
    await this.known.keepLooking();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.known.stop();
  }

  findById(id: string): Awaitable<AppConfig | undefined> {
    return this.known.areAtHand ? this.known.ofId(id) : this.lookedUp(id, this.known.ofId, () => this.oneOf(id));
  }

  findByKey(key: string): Awaitable<AppConfig | undefined> {
    return this.known.areAtHand ? this.known.ofKey(key) : this.lookedUp(key, this.known.ofKey, () => this.ofKey(key));
  }

  override watch(changed: (ids: readonly string[]) => void): void {
    this.watchers.push(changed);
  }

  all(): Promise<readonly Versioned<AppConfig>[]> {
    return this.table.all();
  }

  async read(id: string): Promise<Versioned<AppConfig> | undefined> {
    return isStorable(id) ? (await this.table.some([id]))[0] : undefined;
  }

  async save(app: AppConfig, version?: number): Promise<void> {
    await this.table.change(app.id, version, () => written(app));
    await this.known.look();
  }

  async remove(id: string, version?: number): Promise<void> {
    if (!isStorable(id)) return;
    await this.table.change(id, version, function* () {
      yield* run('DELETE FROM rookery_app_keys WHERE app_id = ?', [id]);
      yield* run('DELETE FROM rookery_apps WHERE id = ?', [id]);
    });
    await this.known.look();
  }

  private async lookedUp(
    name: string,
    known: (name: string) => AppConfig | undefined,
    lookUp: () => Promise<AppConfig | undefined>,
  ): Promise<AppConfig | undefined> {
    if (!this.known.areTooMany) await this.known.look();
    if (!this.known.areTooMany) return known(name);
    if (!isStorable(name)) return undefined;
    return (known === this.known.ofId ? this.byId : this.byKey).get(name, lookUp);
  }

  private async oneOf(id: string): Promise<AppConfig | undefined> {
    return (await this.table.some([id]))[0]?.settings;
  }

  private async ofKey(key: string): Promise<AppConfig | undefined> {
    const [row] = await this.database.read<{ readonly id: string }>(idOfKey, [key]);
    return row && this.oneOf(row.id);
  }

  private haveChanged(ids: readonly string[]): void {
    this.byId.forget();
    this.byKey.forget();
    for (const changed of this.watchers) changed(ids);
  }
}

function* written(app: AppConfig): Work<void> {
  const keys = new Set([app, ...(app.keys ?? [])].map(({ key }) => key));
  for (const key of keys) {
    const [other] = yield* run<{ readonly id: string }>(`${idOfKey} AND app_id <> ?`, [key, app.id]);
    if (other) throw new SettingsConflict(`Another app has the key ${JSON.stringify(key)}: keys are unique`);
  }
  yield* run(
    `INSERT INTO rookery_apps (id, key, settings) VALUES (?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET key = excluded.key, settings = excluded.settings`,
    [app.id, app.key, JSON.stringify(app)],
  );
  yield* run('DELETE FROM rookery_app_keys WHERE app_id = ?', [app.id]);
  for (const key of keys) yield* run('INSERT INTO rookery_app_keys (key, app_id) VALUES (?, ?)', [key, app.id]);
}
