import { Inject, Injectable } from '@nestjs/common';
import { ChannelsSettings } from '../channels.options.js';
import { type App, appFrom } from './app.js';
import { AppRepository } from './app.repository.js';

/** The apps that stand in the module's options. */
@Injectable()
export class ConfiguredAppRepository extends AppRepository {
  private readonly byId = new Map<string, App>();
  private readonly byKey = new Map<string, App>();

  constructor(@Inject(ChannelsSettings) { apps }: Pick<ChannelsSettings, 'apps'>) {
    super();
    for (const app of apps.map(appFrom)) this.add(app);
  }

  findById(id: string): App | undefined {
    return this.byId.get(id);
  }

  findByKey(key: string): App | undefined {
    return this.byKey.get(key);
  }

  private add(app: App): void {
    if (this.byId.has(app.id)) throw new Error(`ChannelsModule: two apps have the id ${JSON.stringify(app.id)}`);
    if (this.byKey.has(app.key)) throw new Error(`ChannelsModule: two apps have the key ${JSON.stringify(app.key)}`);
    this.byId.set(app.id, app);
    this.byKey.set(app.key, app);
  }
}
