import { Inject, Injectable } from '@nestjs/common';
import { channelsOptions, type ChannelsOptions } from '../channels.options.js';
import type { AppConfig } from './app.js';
import { checkWebhooks } from './check-webhooks.js';
import { AppRepository } from './app.repository.js';

/** The apps that stand in the module's options. */
@Injectable()
export class ConfiguredAppRepository extends AppRepository {
  private readonly byId = new Map<string, AppConfig>();
  private readonly byKey = new Map<string, AppConfig>();

  constructor(@Inject(channelsOptions) { apps }: ChannelsOptions) {
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

  findById(id: string): AppConfig | undefined {
    return this.byId.get(id);
  }

  findByKey(key: string): AppConfig | undefined {
    return this.byKey.get(key);
  }

  private add(app: AppConfig): void {
    for (const field of ['id', 'key', 'secret'] as const)
      if (typeof app[field] !== 'string' || app[field] === '')
        throw new Error(`ChannelsModule: apps[].${field} must be a text that is not empty`);
    if (this.byId.has(app.id)) throw new Error(`ChannelsModule: two apps have the id ${JSON.stringify(app.id)}`);
    if (this.byKey.has(app.key)) throw new Error(`ChannelsModule: two apps have the key ${JSON.stringify(app.key)}`);
    checkWebhooks(app);
    this.byId.set(app.id, app);
    this.byKey.set(app.key, app);
  }
}
