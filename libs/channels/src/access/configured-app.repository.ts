import { Inject, Injectable } from '@nestjs/common';
import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { ChannelsSettings } from '../channels.options.js';
import type { AppConfig } from '../app/app.js';
import { hasPairTwice } from '../protocol/credentials.js';
import { AppRepository } from './app.repository.js';

/** The apps in the module's options. */
@Injectable()
export class ConfiguredAppRepository extends AppRepository {
  private byId: ReadonlyMap<string, AppConfig>;
  private byKey: ReadonlyMap<string, AppConfig>;
  private readonly listeners: ((appIds: readonly string[]) => void)[] = [];

  constructor(@Inject(ChannelsSettings) { apps }: Pick<ChannelsSettings, 'apps'>) {
    super();
    if (!apps)
      throw new Error(
        'ChannelsModule: no apps: pass apps: [{ id, key, secret }] or appRepository: YourAppRepository to forRoot',
      );
    this.byId = appsById(apps);
    this.byKey = appsByKey(apps);
  }

  get count(): number {
    return this.byId.size;
  }

  get all(): Iterable<AppConfig> {
    return this.byId.values();
  }

  /** The only app; undefined when there are several, or none. */
  get only(): AppConfig | undefined {
    const [app] = this.byId.values();
    return this.count === 1 ? app : undefined;
  }

  /** Equal for two processes exactly when they have the same apps with the same keys and secrets. */
  get digest(): string {
    const apps = Array.from(this.byId.values(), (app) => JSON.stringify([app.id, app.key, app.secret, app.keys ?? []]));
    return hash('sha256', apps.toSorted().join()).slice(0, 16);
  }

  findById(id: string): AppConfig | undefined {
    return this.byId.get(id);
  }

  findByKey(key: string): AppConfig | undefined {
    return this.byKey.get(key);
  }

  override watch(changed: (appIds: readonly string[]) => void): void {
    this.listeners.push(changed);
  }

  /**
   * Serves these apps from now on, and closes or updates the connections of apps that changed.
   * @throws Error when two apps have the same id or key; then the previous apps stay
   */
  replace(apps: readonly AppConfig[]): void {
    const [byId, byKey] = [appsById(apps), appsByKey(apps)];
    const before = this.byId;
    this.byId = byId;
    this.byKey = byKey;
    const ids = new Set([...before.keys(), ...byId.keys()]);
    const changed = [...ids].filter((id) => !isDeepStrictEqual(before.get(id), byId.get(id)));
    if (changed.length > 0) for (const notify of this.listeners) notify(changed);
  }
}

function appsById(apps: readonly AppConfig[]): ReadonlyMap<string, AppConfig> {
  const found = new Map<string, AppConfig>();
  for (const app of apps) {
    if (found.has(app.id)) throw new Error(`ChannelsModule: two apps have the id ${JSON.stringify(app.id)}`);
    found.set(app.id, app);
  }
  return found;
}

function appsByKey(apps: readonly AppConfig[]): ReadonlyMap<string, AppConfig> {
  const found = new Map<string, AppConfig>();
  for (const app of apps) {
    // A key may have several secrets.
    if (hasPairTwice(app))
      throw new Error(`ChannelsModule: the app ${JSON.stringify(app.id)} has a key and secret twice`);
    for (const { key } of [app, ...(app.keys ?? [])]) {
      const other = found.get(key);
      if (other && other !== app) throw new Error(`ChannelsModule: two apps have the key ${JSON.stringify(key)}`);
      found.set(key, app);
    }
  }
  return found;
}
