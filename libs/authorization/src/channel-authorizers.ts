import { Injectable } from '@nestjs/common';
import { type HostCall, type HostMethod, HostMethods } from '#http';
import {
  accessOf,
  type App,
  Apps,
  type ChannelParams,
  ChannelPattern,
  ChannelsSettings,
  isEncryptedChannel,
  parseChannelName,
} from 'rookery/internal/channels';
import { channelAuthorizer, type ChannelAuthorizerMetadata } from './authorizer.decorators.js';
import { DefaultApp } from './default-app.js';
import { type Member, memberOf, wrongAnswer } from './member.js';
import { forbidden } from './refused.js';

interface Authorizer {
  readonly app: string;
  readonly pattern: ChannelPattern;
  readonly method: HostMethod;
}

/** Permission to subscribe; on a presence channel with the connection's member. */
export interface Grant {
  readonly channel: string;
  readonly isEncrypted: boolean;
  readonly member?: Member;
}

/** The host's methods that authorize subscriptions. */
@Injectable()
export class ChannelAuthorizers {
  private found: readonly Authorizer[] | undefined;

  constructor(
    private readonly methods: HostMethods,
    private readonly defaultApp: DefaultApp,
    private readonly channels: ChannelsSettings,
    private readonly apps: Apps,
  ) {}

  /** `private-orders.{orderId}: Orders.canSee` */
  get summary(): readonly string[] {
    return this.authorizers.map(textOf);
  }

  /** Those for encrypted channels of apps without the key that these need, each in a sentence. */
  async useless(): Promise<readonly string[]> {
    const encrypted = this.authorizers.filter(({ app, pattern }) => app !== '*' && isEncryptedChannel(pattern.text));
    const found = await Promise.all(encrypted.map(({ app }) => this.appOf(app)));
    return encrypted
      .filter((_, index) => found[index]?.encryptionMasterKeyBase64 === null)
      .map((each) => `${textOf(each)} refuses all: app ${each.app} has no encryptionMasterKeyBase64`);
  }

  /**
   * Calls the one method whose pattern matches the channel.
   * @throws Refused 403 if the method denies it; also rethrows the method's errors
   */
  async grant(call: HostCall, app: App, socketId: string, name: string): Promise<Grant> {
    const channel = parseChannelName(name, this.channels.limits);
    const found = channel && this.find(app, name);
    if (!found) throw forbidden(`No authorizer permits subscriptions to ${shown(name)}`);
    const { pattern, method, params } = found;
    const answer = await method.ask(call, { app, socketId, channel: { name, params } });
    if (answer === false || answer === null || answer === undefined) throw forbidden(`Not authorized for ${name}`);
    const { isEncrypted } = channel;
    if (pattern.isPresence)
      return { channel: name, isEncrypted, member: memberOf(answer, method.name, this.channels.limits) };
    if (answer !== true) throw wrongAnswer(method.name, 'true or false', answer);
    return { channel: name, isEncrypted };
  }

  /** Undefined also while apps cannot be read, which stops no start. */
  private appOf(id: string): Promise<App | undefined> {
    return Promise.resolve(this.apps.findById(id)).catch(() => undefined);
  }

  /** Collected at the first request, when all providers exist. @throws Error as {@link collected} */
  private get authorizers(): readonly Authorizer[] {
    return (this.found ??= this.collected());
  }

  /** @throws Error when a pattern is invalid, or two patterns can match the same channel */
  private collected(): readonly Authorizer[] {
    const methods = this.methods.with<readonly ChannelAuthorizerMetadata[]>(channelAuthorizer);
    const all = methods.flatMap(({ method, metadata }) =>
      metadata.map(({ pattern, app }) => ({
        app: this.defaultApp.ofMethod(method.name, app),
        pattern: patternOf(pattern, method),
        method,
      })),
    );
    for (const [i, one] of all.entries()) {
      const other = all.slice(i + 1).find((each) => isSameApp(one, each) && one.pattern.overlaps(each.pattern));
      if (other) throw new Error(`AuthorizationModule: a channel could match both ${textOf(one)} and ${textOf(other)}`);
    }
    return all;
  }

  private find(app: App, name: string): (Authorizer & { readonly params: ChannelParams }) | undefined {
    for (const authorizer of this.authorizers) {
      if (authorizer.app !== '*' && authorizer.app !== app.id) continue;
      const params = authorizer.pattern.match(name);
      if (params) return { ...authorizer, params };
    }
    return undefined;
  }
}

const textOf = ({ pattern, method }: Authorizer): string => `${pattern.text}: ${method.name}`;

const isSameApp = (one: Authorizer, other: Authorizer): boolean =>
  one.app === other.app || one.app === '*' || other.app === '*';

function patternOf(text: string, { name }: HostMethod): ChannelPattern {
  try {
    if (accessOf(text) === 'public') throw new Error('must begin with private- or presence-');
    return new ChannelPattern(text);
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`AuthorizationModule: @ChannelAuthorizer('${text}') of ${name} ${message}`, { cause: error });
  }
}

const shown = (name: string): string => `'${name.length > 60 ? `${name.slice(0, 60)}…` : name}'`;
