import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { decoratedMethods, singleInstance } from '#common';
import { ChannelPattern, type ChannelParams } from '#events';
import { isCacheChannel, isEncryptedChannel } from '../../protocol/channel-name.js';
import { channelState, type StateRequest } from './channel-state.js';

/** A method of the host, for the channels of one pattern. */
interface StateMethod {
  /** Such as `Orders.list`. */
  readonly name: string;
  readonly pattern: ChannelPattern;
  read(request: StateRequest): unknown;
}

/** The method that reads a channel's state. */
export interface FoundMethod extends Pick<StateMethod, 'name' | 'read'> {
  readonly params: ChannelParams;
}

/** The host's methods that read the states of channels. */
@Injectable()
export class StateMethods {
  private methods: readonly StateMethod[] = [];

  constructor(private readonly discovery: DiscoveryService) {}

  get isEmpty(): boolean {
    return this.methods.length === 0;
  }

  /**
   * Called once all providers exist.
   * @throws Error when a pattern is invalid, two can match the same channel, or a class is request-scoped
   */
  async collect(): Promise<void> {
    const all: StateMethod[] = [];
    for (const each of decoratedMethods<readonly string[]>(this.discovery, channelState)) {
      const { name, method } = each;
      const instance = (await singleInstance(each)) as Record<string, (request: StateRequest) => unknown> | undefined;
      if (!instance) throw new Error(`${name} is a @ChannelState(): its class must not be request-scoped`);
      for (const text of each.metadata)
        all.push({ name, pattern: patternOf(text, name), read: (request) => instance[method]!(request) });
    }
    for (const [i, one] of all.entries()) {
      const other = all.slice(i + 1).find(({ pattern }) => pattern.overlaps(one.pattern));
      if (other) throw new Error(`ChannelsModule: a channel could match both ${textOf(one)} and ${textOf(other)}`);
    }
    this.methods = all;
  }

  find(channel: string): FoundMethod | undefined {
    for (const { name, pattern, read } of this.methods) {
      const params = pattern.match(channel);
      if (params) return { name, read, params };
    }
    return undefined;
  }
}

const textOf = ({ pattern, name }: StateMethod): string => `@ChannelState('${pattern.text}') of ${name}`;

function patternOf(text: string, name: string): ChannelPattern {
  try {
    if (isCacheChannel(text) && !isEncryptedChannel(text))
      throw new Error('is for cache channels, which keep their last event');
    if (isEncryptedChannel(text)) throw new Error('is for encrypted channels, which only clients can read');
    return new ChannelPattern(text);
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`ChannelsModule: @ChannelState('${text}') of ${name} ${message}`, { cause: error });
  }
}
