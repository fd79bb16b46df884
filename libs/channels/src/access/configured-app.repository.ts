import { Inject, Injectable } from '@nestjs/common';
import { hash } from 'node:crypto';
import { ChannelsSettings } from '../channels.options.js';
import type { AppConfig } from './app.js';
import { AppRepository } from './app.repository.js';

/** The apps that stand in the module's options. */
@Injectable()
export class ConfiguredAppRepository extends AppRepository {
  private readonly byId = new Map<string, AppConfig>();
  private readonly byKey = new Map<string, AppConfig>();

  constructor(@Inject(ChannelsSettings) { apps }: Pick<ChannelsSettings, 'apps'>) {
    super();
    if (!apps)
      throw new Error(
        'ChannelsModule: no apps: pass apps: [{ id, key, secret }] or appRepository: YourAppRepository to forRoot',
      );
    for (const app of apps) this.add(app);
  }

  get count(): number {
    return this.byId.size;
  }

  /** The one app that there is; undefined when there are several, or none. */
  get only(): AppConfig | undefined {
    const [app] = this.byId.values();
    return this.count === 1 ? app : undefined;
  }

  /** The same for two processes exactly when they have the same apps with the same keys and secrets. */
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

  private add(app: AppConfig): void {
    if (this.byId.has(app.id)) throw new Error(`ChannelsModule: two apps have the id ${JSON.stringify(app.id)}`);
    this.byId.set(app.id, app);
    for (const { key } of [app, ...(app.keys ?? [])]) {
      const other = this.byKey.get(key);
      if (other === app) throw new Error(`ChannelsModule: the app ${JSON.stringify(app.id)} has a key twice`);
      if (other) throw new Error(`ChannelsModule: two apps have the key ${JSON.stringify(key)}`);
      this.byKey.set(key, app);
    }
  }
}
