import { Injectable } from '@nestjs/common';
import { type HostMethod, HostMethods } from '#http';
import { type ChannelParams, ChannelPattern } from '#events';
import { isEncryptedChannel } from '../../protocol/channel-name.js';
import { type AnsweredRequests, onRequest } from './on-request.js';

interface RequestMethod {
  readonly method: HostMethod;
  readonly name: string;
  /** Absent for requests without a channel. */
  readonly pattern?: ChannelPattern;
}

/** The method that answers a request. */
export interface FoundRequestMethod {
  readonly method: HostMethod;
  readonly params: ChannelParams;
}

/** The host's methods that answer requests. */
@Injectable()
export class RequestMethods {
  private all: readonly RequestMethod[] = [];

  constructor(private readonly methods: HostMethods) {}

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

  find(channel: string | undefined, name: string): FoundRequestMethod | undefined {
    for (const { method, pattern, name: answered } of this.all) {
      if (answered !== name) continue;
      const params = channel === undefined ? !pattern && {} : pattern?.match(channel);
      if (params) return { method, params };
    }
    return undefined;
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
  const { channels, name } = answered;
  if (channels === undefined) return { method, name };
  try {
    if (isEncryptedChannel(channels)) throw new Error('is for encrypted channels, where nothing is sent in the clear');
    return { method, name, pattern: new ChannelPattern(channels) };
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`ChannelsModule: ${decorator(answered)} of ${method.name} ${message}`, { cause: error });
  }
}
