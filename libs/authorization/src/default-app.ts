import { Injectable } from '@nestjs/common';
import { type App, Apps, type KeyPair, secretOf } from 'rookery/internal/channels';
import { AuthorizationSettings } from './authorization.options.js';
import { appKeyMissing, forbidden } from './refused.js';

/** An app, and its key pair that signs. */
export interface SigningApp {
  readonly app: App;
  readonly pair: KeyPair;
}

/** Chooses the app of a method or a request. */
@Injectable()
export class DefaultApp {
  constructor(
    private readonly apps: Apps,
    private readonly settings: AuthorizationSettings,
  ) {}

  /** The app used if none is named. */
  get id(): string | undefined {
    return this.settings.appId ?? this.apps.defaultId;
  }

  /** The app of a request that need not name one, if methods answer for all apps. */
  async ofRequestIfNamed(key: string | undefined): Promise<SigningApp | undefined> {
    return key === undefined && this.id === undefined ? undefined : this.ofRequest(key);
  }

  /** @throws Error naming the method, if its decorator must name an app */
  ofMethod(method: string, app = this.id): string {
    if (app !== undefined) return app;
    throw new Error(
      `AuthorizationModule: for which app does ${method} answer? Write { app: 'its id' } into its decorator, or ` +
        `ChannelsModule.forRoot({ defaultApp: 'its id' })`,
    );
  }

  /**
   * @param key the key in the request; the signature names the same key
   * @throws Refused 400, 403
   */
  async ofRequest(key: string | undefined): Promise<SigningApp> {
    const app = await this.find(key);
    const secret = app && secretOf(app, key ?? app.key);
    if (!app || secret === undefined) throw forbidden('Unknown app_key');
    if (!app.enabled) throw forbidden('Application is disabled');
    return { app, pair: { key: key ?? app.key, secret } };
  }

  private find(key: string | undefined) {
    if (key !== undefined) return this.apps.findByKey(key);
    if (this.id === undefined) throw appKeyMissing();
    return this.apps.findById(this.id);
  }
}
