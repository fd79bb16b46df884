import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { decoratedMethods, singleInstance } from '#common';
import type { Connection, Subscription } from '../connections/connection.js';
import { ChannelPattern, type ChannelParams } from '#events';
import { accessOf } from '../protocol/channel-name.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import {
  clientEventAuthorizer,
  type SendingUser,
  type ClientEventAuthorizerMetadata,
} from './client-event-authorizer.js';
import type { ClientEvent } from './client-events.js';

interface Authorizer {
  readonly name: string;
  /** The parameters of a matching event's channel; undefined for an event that does not match. */
  match(event: ClientEvent): ChannelParams | undefined;
  ask(event: object): unknown;
}

/** The host's methods that decide which client events are delivered. */
@Injectable()
export class ClientEventAuthorizers implements OnModuleInit {
  private readonly authorizers: Authorizer[] = [];

  constructor(private readonly discovery: DiscoveryService) {}

  /** @throws Error when a method's pattern is invalid, or its class is request-scoped */
  async onModuleInit(): Promise<void> {
    const found = decoratedMethods<readonly ClientEventAuthorizerMetadata[]>(this.discovery, clientEventAuthorizer);
    for (const each of found) {
      const { name, method } = each;
      const instance = (await singleInstance(each)) as Record<string, (event: object) => unknown> | undefined;
      if (!instance) throw new Error(`${name} is a @ClientEventAuthorizer(): its class must not be request-scoped`);
      for (const event of each.metadata)
        this.authorizers.push({ name, match: matcher(event, name), ask: (sent) => instance[method]!(sent) });
    }
  }

  /** Whether there is none: client events are then delivered without a check. */
  get isEmpty(): boolean {
    return this.authorizers.length === 0;
  }

  /** @throws ProtocolError when a method answers false; and the errors that methods throw */
  async check({ app, socketId, user }: Connection, { member }: Subscription, sent: ClientEvent): Promise<void> {
    for (const { name, match, ask } of this.authorizers) {
      const params = match(sent);
      if (!params) continue;
      const answer = await ask({
        appId: app.id,
        channel: sent.channel,
        params,
        event: sent.name,
        data: parsed(sent.data),
        socketId,
        ...(member && { member: shown(member.userId, member.userInfoJson) }),
        ...(user && { user: shown(user.id, user.userInfoJson) }),
      });
      if (answer === false || answer === null || answer === undefined) throw ProtocolError.clientEventRefused();
      if (answer !== true) throw new Error(`${name} must answer true or false, got ${typeof answer}`);
    }
  }
}

function matcher({ pattern: text, event }: ClientEventAuthorizerMetadata, name: string): Authorizer['match'] {
  const pattern = text === undefined ? undefined : patternOf(text, name);
  return (sent) => {
    if (event !== undefined && event !== sent.name) return undefined;
    return pattern ? pattern.match(sent.channel) : {};
  };
}

function patternOf(text: string, name: string): ChannelPattern {
  try {
    if (accessOf(text) === 'public') throw new Error('must begin with private- or presence-');
    return new ChannelPattern(text);
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`ChannelsModule: @ClientEventAuthorizer('${text}') of ${name} ${message}`, { cause: error });
  }
}

const shown = (id: string, infoJson = 'null'): SendingUser => ({ id, info: JSON.parse(infoJson) as unknown });

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
}
