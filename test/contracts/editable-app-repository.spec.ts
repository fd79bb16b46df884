import { expect, it } from 'vitest';
import { type AppConfig, AppRepository, type Versioned, SettingsConflict } from 'rookery/channels';
import { openDatabase, TypeOrmAppRepository } from 'rookery/internal/typeorm';
import { describeEditableAppRepository } from '@rookery/testing';
import { describeDatabases } from '../support/databases.js';
import { until } from '../support/until.js';
import { describeBrokenDoubles } from './broken-doubles.js';

describeDatabases('TypeOrmAppRepository', ({ database, url }) => {
  const empty = async (atEnd?: (close: () => Promise<void>) => void) => {
    await clear();
    return looking(atEnd);
  };
  const clear = async () => {
    for (const table of ['rookery_apps', 'rookery_app_keys']) await database().execute(`DELETE FROM ${table}`);
  };
  /** As in an application, where it looks by the clock. */
  const looking = async (atEnd?: (close: () => Promise<void>) => void) => {
    const apps = new TypeOrmAppRepository(database());
    await apps.onModuleInit();
    atEnd?.(() => apps.beforeApplicationShutdown());
    return apps;
  };

  describeEditableAppRepository(empty);

  it('holds its apps in memory: no request waits for the database', async () => {
    const apps = await empty();
    await apps.save({ id: 'a', key: 'a-key', secret: 's' });
    expect(apps.findById('a')).toMatchObject({ key: 'a-key' });
    expect(apps.findByKey('a-key')).toMatchObject({ id: 'a' });
    expect([apps.findById('b'), apps.findByKey('a')]).toEqual([undefined, undefined]);
    await apps.beforeApplicationShutdown();
  });

  it('finds changes of another process within a second, and reports them', async () => {
    const here = await empty();
    const elsewhere = await openDatabase(url());
    const there = new TypeOrmAppRepository(elsewhere);
    await there.onModuleInit();
    const told: string[] = [];
    there.watch((ids) => told.push(...ids));
    const began = performance.now();
    await here.save({ id: 'a', key: 'a-key', secret: 's' });
    await until(() => there.findByKey('a-key') !== undefined, 'the other finds the app');
    await here.remove('a');
    await until(() => there.findById('a') === undefined, 'the other finds that it is gone');
    // Two looks, with time for a machine that has much to do.
    expect(performance.now() - began).toBeLessThan(10_000);
    await until(() => told.length === 2, 'both are told');
    await Promise.all([here, there].map((each) => each.beforeApplicationShutdown()));
    await elsewhere.close();
  });

  it('finds apps saved before it counted changes', async () => {
    await clear();
    await database().execute('DELETE FROM rookery_setting_changes');
    const app = { id: 'early', key: 'early-key', secret: 's' };
    await database().execute('INSERT INTO rookery_apps (id, key, settings) VALUES (?, ?, ?)', [
      app.id,
      app.key,
      JSON.stringify(app),
    ]);
    const apps = await looking();
    expect(apps.findById('early')).toEqual(app);
    const version = (await apps.read('early'))!.version;
    await apps.save({ ...app, secret: 't' }, version);
    expect((await apps.read('early'))!.version).toBeGreaterThan(version);
    await apps.beforeApplicationShutdown();
  });
});

class MemoryAppRepository extends AppRepository {
  override readonly editing = this;
  readonly kept = new Map<string, Versioned<AppConfig>>();
  readonly watchers: ((ids: readonly string[]) => void)[] = [];
  version = 0;

  override watch(changed: (ids: readonly string[]) => void): void {
    this.watchers.push(changed);
  }
  async all(): Promise<readonly Versioned<AppConfig>[]> {
    return [...this.kept.values()].toSorted((a, b) => (a.settings.id < b.settings.id ? -1 : 1));
  }
  async read(id: string): Promise<Versioned<AppConfig> | undefined> {
    return this.kept.get(id);
  }
  findById(id: string): AppConfig | undefined {
    return this.kept.get(id)?.settings;
  }
  findByKey(wanted: string): AppConfig | undefined {
    return [...this.kept.values()]
      .map(({ settings }) => settings)
      .find((app) => [app, ...(app.keys ?? [])].some(({ key }) => key === wanted));
  }
  async save(app: AppConfig, version?: number): Promise<void> {
    this.check(app.id, version);
    const keys = [app, ...(app.keys ?? [])].map(({ key }) => key);
    if (keys.some((key) => (this.findByKey(key)?.id ?? app.id) !== app.id)) throw new SettingsConflict('taken');
    this.kept.set(app.id, { settings: app, version: ++this.version });
    for (const changed of this.watchers) changed([app.id]);
  }
  async remove(id: string, version?: number): Promise<void> {
    this.check(id, version);
    this.kept.delete(id);
    for (const changed of this.watchers) changed([id]);
  }
  check(id: string, version: number | undefined): void {
    if (version !== undefined && (this.kept.get(id)?.version ?? 0) !== version) throw new SettingsConflict('changed');
  }
}

const inMemory = () => new MemoryAppRepository();

describeBrokenDoubles(
  'an AppRepository that can be edited',
  describeEditableAppRepository,
  inMemory,
  (right, double) => ({
    'answers every app as it was saved, ordered by id': double('has no order', {
      all: async () => [...right.kept.values()],
    }),
    'finds saved apps, and no replaced or removed ones': double('keeps removed', { remove: async () => {} }),
    'gives an app a greater version with each change, even after it was removed': double('counts per app', {
      async save(app, version) {
        right.version = right.kept.get(app.id)?.version ?? 0;
        await right.save(app, version);
      },
    }),
    'keeps the versions of other apps': double('counts for all', {
      async read(id) {
        const found = right.kept.get(id);
        return found && { ...found, version: right.version };
      },
    }),
    'saves and removes only the app of the given version': double('ignores the version', { check: () => {} }),
    'adds an app with version 0 only if its id is new': double('creates over existing', {
      check: (id, version) => right.check(id, version === 0 ? undefined : version),
    }),
    'lets only one of several changes of the same version succeed': double('checks before the lock', {
      async save(app, version) {
        right.check(app.id, version);
        await Promise.resolve();
        await right.save(app);
      },
    }),
    'refuses a key that another app has, and changes nothing': double('shares keys', {
      async save(app, version) {
        right.check(app.id, version);
        right.kept.set(app.id, { settings: app, version: ++right.version });
        for (const changed of right.watchers) changed([app.id]);
      },
    }),
    'tells watchers which app has changed, once it answers the change': [
      double('reports nothing', { watch: () => {} }),
      double('reports too early', {
        async save(app, version) {
          for (const changed of right.watchers) changed([app.id]);
          await Promise.resolve();
          await right.save(app, version);
        },
      }),
    ],
    'ignores the removal of an unknown id': double('refuses unknown ids', {
      async remove(id, version) {
        if (!right.kept.has(id)) throw new Error('there is none');
        await right.remove(id, version);
      },
    }),
  }),
);
