import { Injectable } from '@nestjs/common';
import type { Awaitable } from 'rookery/common';
import { type App, type AppConfig, appFrom } from './app.js';
import { AppRepository } from './app.repository.js';
import { ConfiguredAppRepository } from './configured-app.repository.js';

/** The apps of the {@link AppRepository}, with every setting that it left out at its default. */
@Injectable()
export class Apps {
  /** By what the repository answered: an app is asked for with every request. */
  private readonly complete = new WeakMap<AppConfig, App>();

  constructor(private readonly repository: AppRepository) {}

  findById(id: string): Awaitable<App | undefined> {
    return this.completed(this.repository.findById(id));
  }

  findByKey(key: string): Awaitable<App | undefined> {
    return this.completed(this.repository.findByKey(key));
  }

  /** The id of the app where the module's options have one and no more: it needs no naming. */
  get onlyId(): string | undefined {
    return this.repository instanceof ConfiguredAppRepository ? this.repository.only?.id : undefined;
  }

  private completed(found: Awaitable<AppConfig | undefined>): Awaitable<App | undefined> {
    if (!found || !('then' in found)) return this.appOf(found);
    // The promises of some databases are not Node's.
    return Promise.resolve(found).then((app) => this.appOf(app));
  }

  private appOf(config: AppConfig | undefined): App | undefined {
    // Databases tend to say null.
    if (!config) return undefined;
    let app = this.complete.get(config);
    if (!app) this.complete.set(config, (app = appFrom(config)));
    return app;
  }
}
