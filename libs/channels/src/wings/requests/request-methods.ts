import { Injectable } from '@nestjs/common';
import { type HostMethod, HostMethods } from '#http';
import { type ChannelParams, ChannelPattern, type DataDefinition } from '#events';
import { ChannelsSettings } from '../../channels.options.js';
import { isEncryptedChannel } from '../../protocol/channel-name.js';
import type { Answerer } from './answerer.js';
import { hostCall, userOf } from './host-request.js';
import { checkedData } from '../typed-events/checked-data.js';
import { type AnsweredRequests, onRequest } from './on-request.js';

interface RequestMethod {
  readonly method: HostMethod;
  readonly name: string;
  readonly reply?: DataDefinition | undefined;
  /** Absent for requests without a channel. */
  readonly pattern?: ChannelPattern;
}

/** The host's methods that answer requests. */
@Injectable()
export class RequestMethods {
  private all: readonly RequestMethod[] = [];

  constructor(
    private readonly methods: HostMethods,
    private readonly settings: ChannelsSettings,
  ) {}

  /**
   * Called once all providers exist.
   * @throws Error when a pattern is invalid, or one request could match two methods
   */
  collect(): void {
    const all = this.methods
      .with<readonly AnsweredRequests[]>(onRequest)
      .flatMap(({ method, metadata }) => metadata.map((each) => requestMethod(method, each)));
    for (const [i, one] of all.entries()) {
      const other = all.slice(i + 1).find((each) => overlap(one, each));
      if (other) throw new Error(`ChannelsModule: a request could match both ${textOf(one)} and ${textOf(other)}`);
    }
    this.all = all;
  }

  find(channel: string | undefined, name: string): Answerer | undefined {
    for (const each of this.all) {
      const { pattern, name: answered } = each;
      if (answered !== name) continue;
      const params = channel === undefined ? !pattern && {} : pattern?.match(channel);
      if (params) return this.answererOf(each, params);
    }
    return undefined;
  }

  private answererOf({ method, reply }: RequestMethod, params: ChannelParams): Answerer {
    const { timeoutMs, replyBytes } = this.settings.requests;
    return {
      name: method.name,
      timeoutMs,
      answer: async (connection, { channel, data }) => {
        const { app, socketId } = connection;
        const call = hostCall(connection, userOf(connection, channel), data);
        const place = channel === undefined ? {} : { channel: { name: channel, params } };
        const value = await method.askFiltered(call, { app, socketId, ...place });
        const checked = reply && process.env['NODE_ENV'] !== 'production' ? await checkedData(reply, value) : value;
        // JSON has no undefined.
        const json = JSON.stringify(checked ?? null) ?? 'null';
        const bytes = Buffer.byteLength(json);
        if (bytes > replyBytes)
          throw new Error(`its reply has ${bytes} bytes, more than requests.replyBytes (${replyBytes})`);
        return { json };
      },
    };
  }
}

function overlap(one: RequestMethod, other: RequestMethod): boolean {
  if (one.name !== other.name) return false;
  return one.pattern && other.pattern ? one.pattern.overlaps(other.pattern) : one.pattern === other.pattern;
}

const decorator = ({ channels, name }: AnsweredRequests): string =>
  `@OnRequest(${channels === undefined ? '' : `'${channels}', `}'${name}')`;

const textOf = ({ method, name, pattern }: RequestMethod): string =>
  `${decorator({ name, ...(pattern && { channels: pattern.text }) })} of ${method.name}`;

function requestMethod(method: HostMethod, answered: AnsweredRequests): RequestMethod {
  const { channels, name, reply } = answered;
  if (channels === undefined) return { method, name, reply };
  try {
    if (isEncryptedChannel(channels)) throw new Error('is for encrypted channels, where nothing is sent in the clear');
    return { method, name, reply, pattern: new ChannelPattern(channels) };
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`ChannelsModule: ${decorator(answered)} of ${method.name} ${message}`, { cause: error });
  }
}
