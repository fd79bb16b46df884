import { Injectable } from '@nestjs/common';
import { type App, ChannelsSettings } from 'rookery/channels';
import { type HostCall, type HostMethod, HostMethods } from '#http';
import { type AuthenticatedUser, type AuthorizerOptions, userAuthenticator } from './authorizer.decorators.js';
import { DefaultApp } from './default-app.js';
import { type Member, memberOf, wrongAnswer } from './member.js';
import { appKeyMissing, forbidden } from './refused.js';

/** The host's signed-in user, as defined by the protocol. */
export interface HostUser extends Member {
  readonly watchlist?: readonly string[];
}

/** The host's methods that identify the user; one per app. */
@Injectable()
export class UserAuthenticators {
  private found: ReadonlyMap<string, HostMethod> | undefined;

  constructor(
    private readonly methods: HostMethods,
    private readonly defaultApp: DefaultApp,
    private readonly channels: ChannelsSettings,
  ) {}

  /** `UserAuthenticator: Logins.current` */
  get summary(): readonly string[] {
    return Array.from(this.byApp.values(), ({ name }) => `UserAuthenticator: ${name}`);
  }

  /**
   * @param app undefined if a device asks; then a method for all apps identifies the user
   * @throws Refused 403 when no user is found, 400 when every method is for a single app; also rethrows the method's
   *   errors
   */
  async user(call: HostCall, app: App | undefined, socketId?: string): Promise<HostUser> {
    const method = (app && this.byApp.get(app.id)) ?? this.byApp.get('*');
    if (!method) throw app ? forbidden('No authenticator signs users in to this app') : appKeyMissing();
    const answer = await method.ask(call, { ...(app && { app }), ...(socketId !== undefined && { socketId }) });
    if (answer === false || answer === null || answer === undefined) throw forbidden('Not signed in');
    const { watchlist } = answer as Partial<AuthenticatedUser>;
    const user = memberOf(answer, method.name, this.channels.limits);
    if (watchlist === undefined || watchlist === null) return user;
    if (!Array.isArray(watchlist)) throw wrongAnswer(method.name, 'a watchlist that is an array of ids', watchlist);
    return { ...user, watchlist: watchlist.map(String) };
  }

  /** Collected at the first request, when all providers exist. @throws Error as {@link collected} */
  private get byApp(): ReadonlyMap<string, HostMethod> {
    return (this.found ??= this.collected());
  }

  /** @throws Error when two methods answer for one app */
  private collected(): ReadonlyMap<string, HostMethod> {
    const byApp = new Map<string, HostMethod>();
    for (const { method, metadata } of this.methods.with<AuthorizerOptions>(userAuthenticator)) {
      const app = this.defaultApp.ofMethod(method.name, metadata.app);
      const other = byApp.get(app) ?? (app === '*' ? byApp.values().next().value : byApp.get('*'));
      if (other)
        throw new Error(
          `AuthorizationModule: ${other.name} and ${method.name} are both @UserAuthenticator() of one app`,
        );
      byApp.set(app, method);
    }
    return byApp;
  }
}
