import { expect, it } from 'vitest';
import { type AppConfig, AppRepository, type Versioned, SettingsConflict } from 'rookery/channels';
import { openDatabase, TypeOrmAppRepository } from 'rookery/internal/typeorm';
import { describeEditableAppRepository } from '@rookery/testing';
import { describeDatabases } from '../support/databases.js';
import { until } from '../support/until.js';
import { brokenPromises } from './broken-promises.js';
import { describeNode } from '../support/services.js';

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

/** Right in everything; each of those below breaks one promise. */
class Doubled extends AppRepository {
  override readonly editing = this;
  protected readonly kept = new Map<string, Versioned<AppConfig>>();
  protected readonly watchers: ((ids: readonly string[]) => void)[] = [];
  protected version = 0;

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
  protected check(id: string, version: number | undefined): void {
    if (version !== undefined && (this.kept.get(id)?.version ?? 0) !== version) throw new SettingsConflict('changed');
  }
}
class HasNoOrder extends Doubled {
  override async all() {
    return [...this.kept.values()];
  }
}
class KeepsRemoved extends Doubled {
  override async remove(): Promise<void> {}
}
class CountsPerApp extends Doubled {
  override async save(app: AppConfig, version?: number): Promise<void> {
    this.version = this.kept.get(app.id)?.version ?? 0;
    await super.save(app, version);
  }
}
class CountsForAll extends Doubled {
  override async read(id: string) {
    const found = this.kept.get(id);
    return found && { ...found, version: this.version };
  }
}
class IgnoresTheVersion extends Doubled {
  protected override check(): void {}
}
class CreatesOverExisting extends Doubled {
  protected override check(id: string, version: number | undefined): void {
    super.check(id, version === 0 ? undefined : version);
  }
}
class ChecksBeforeTheLock extends Doubled {
  override async save(app: AppConfig, version?: number): Promise<void> {
    this.check(app.id, version);
    await Promise.resolve();
    await super.save(app);
  }
}
class SharesKeys extends Doubled {
  override async save(app: AppConfig, version?: number): Promise<void> {
    this.check(app.id, version);
    this.kept.set(app.id, { settings: app, version: ++this.version });
    for (const changed of this.watchers) changed([app.id]);
  }
}
class ReportsNothing extends Doubled {
  override watch(): void {}
}
class ReportsTooEarly extends Doubled {
  override async save(app: AppConfig, version?: number): Promise<void> {
    for (const changed of this.watchers) changed([app.id]);
    await Promise.resolve();
    await super.save(app, version);
  }
}
class RefusesUnknownIds extends Doubled {
  override async remove(id: string, version?: number): Promise<void> {
    if (!this.kept.has(id)) throw new Error('there is none');
    await super.remove(id, version);
  }
}

describeNode('the contract of an AppRepository that can be edited', () => {
  it('is kept by a correct implementation', async () => {
    expect(await brokenPromises(describeEditableAppRepository, () => new Doubled())).toEqual([]);
  });

  it.concurrent.each([
    [HasNoOrder, 'answers every app as it was saved, ordered by id'],
    [KeepsRemoved, 'finds saved apps, and no replaced or removed ones'],
    [CountsPerApp, 'gives an app a greater version with each change, even after it was removed'],
    [CountsForAll, 'keeps the versions of other apps'],
    [IgnoresTheVersion, 'saves and removes only the app of the given version'],
    [CreatesOverExisting, 'adds an app with version 0 only if its id is new'],
    [ChecksBeforeTheLock, 'lets only one of several changes of the same version succeed'],
    [SharesKeys, 'refuses a key that another app has, and changes nothing'],
    [ReportsNothing, 'tells watchers which app has changed, once it answers the change'],
    [ReportsTooEarly, 'tells watchers which app has changed, once it answers the change'],
    [RefusesUnknownIds, 'ignores the removal of an unknown id'],
  ])('rejects %o: %s', async (Broken, promise) => {
    expect(await brokenPromises(describeEditableAppRepository, () => new Broken(), promise)).toEqual([promise]);
  });
});
