import { Inject, Injectable } from '@nestjs/common';
import { type Awaitable, dropOldest, type Found, RookeryError } from '#common';
import { ChannelsSettings } from '../channels.options.js';
import { type App, type AppConfig, appFrom, type AppOrId } from '../app/app.js';
import { secretOf } from '../protocol/credentials.js';
import { AppRepository } from './app.repository.js';
import { ConfiguredAppRepository } from './configured-app.repository.js';

/** More keys than that are not of interest to an operator at once. */
const maxKeysUsed = 10_000;

/**
 * The apps of the module's options and of the {@link AppRepository}, with defaults filled in. When both have an id or a
 * key, the options win.
 */
@Injectable()
export class Apps {
  /** The apps of the options, if any. */
  readonly configured: ConfiguredAppRepository | undefined;
  /** The source of other apps, if any. */
  readonly stored: AppRepository | undefined;
  /** When this process last accepted a signed request or a connection with each key, in epoch seconds. */
  readonly keysUsedAt = new Map<string, number>();
  /** Keyed by the repository's answer: an app is looked up with every request. */
  private readonly complete = new WeakMap<AppConfig, App>();

  constructor(
    repository: AppRepository,
    @Inject(ChannelsSettings) private readonly settings: Pick<ChannelsSettings, 'apps' | 'defaultApp'> = {},
  ) {
    if (repository instanceof ConfiguredAppRepository) this.configured = repository;
    else {
      this.stored = repository;
      if (settings.apps) this.configured = new ConfiguredAppRepository(settings);
    }
  }

  /** @returns the app's own text of the key: one from a URL would keep the whole URL in memory */
  used({ key: current, keys }: App, key: string, nowSeconds: number): string {
    const own = current === key ? current : (keys.find((each) => each.key === key)?.key ?? current);
    this.keysUsedAt.set(own, nowSeconds);
    dropOldest(this.keysUsedAt, maxKeysUsed);
    return own;
  }

  findById(id: string): Awaitable<App | undefined> {
    const own = this.configured?.findById(id);
    return own || !this.stored ? this.appOf(own) : this.completed(this.stored.findById(id));
  }

  /** The app that a caller names or passes. @throws RookeryError `app_not_found` */
  async named(app: AppOrId): Promise<App> {
    const found = typeof app === 'string' ? await this.findById(app) : this.appOf(app);
    if (!found) throw new RookeryError('app_not_found', `There is no app with the id ${JSON.stringify(app)}`);
    return found;
  }

  findByKey(key: string): Awaitable<App | undefined> {
    const own = this.configured?.findByKey(key);
    const found = own || !this.stored ? this.appOf(own) : this.completed(this.stored.findByKey(key));
    const ifValid = (app: App | undefined) => (app && secretOf(app, key) !== undefined ? app : undefined);
    return found instanceof Promise ? found.then(ifValid) : ifValid(found);
  }

  /**
   * The app with its current settings, `undefined` when it is gone; unchanged where the current settings are not known
   * synchronously. For callers that have held the app for a while.
   */
  latest(app: App): App | undefined {
    const own = this.configured?.findById(app.id);
    if (!own && this.stored && !this.stored.watch) return app;
    const found = this.findById(app.id);
    if (!(found instanceof Promise)) return found;
    found.catch(() => undefined);
    return app;
  }

  /** See {@link AppRepository.watch}. */
  watch(changed: (appIds: readonly string[]) => void): void {
    this.configured?.watch(changed);
    this.stored?.watch?.(changed);
  }

  /** The id of the app of callers that name none; `undefined` where they must name one. */
  get defaultId(): string | undefined {
    return this.settings.defaultApp ?? this.configured?.only?.id;
  }

  private completed(found: Awaitable<Found<AppConfig>>): Awaitable<App | undefined> {
    if (!found || !('then' in found)) return this.storedApp(found);
    // Some databases return promises that are not native.
    return Promise.resolve(found).then((app) => this.storedApp(app));
  }

  /** A stored app's key is ignored when an app of the options has that app's id. */
  private storedApp(config: Found<AppConfig>): App | undefined {
    return config && this.configured?.findById(config.id) ? undefined : this.appOf(config);
  }

  private appOf(config: Found<AppConfig>): App | undefined {
    if (!config) return undefined;
    let app = this.complete.get(config);
    if (!app) {
      app = appFrom(config);
      this.complete.set(config, app).set(app, app);
    }
    return app;
  }
}
