import type { ChannelsLimits, ChannelsOptions } from 'rookery/channels';
import { count, type Field, flag, object, optional, text } from './fields.js';

/** The settings of ChannelsModule that a server can have beside its apps. */
export type ChannelsServerOptions = Omit<ChannelsOptions, 'apps' | 'webhooks' | 'webhookSender'>;

const limitNames = [
  'channelNameLength',
  'eventNameLength',
  'eventDataBytes',
  'channelsPerTrigger',
  'eventsPerBatch',
  'requestBytes',
  'presenceMembers',
  'presenceUserBytes',
  'userIdLength',
  'clientEventsPerSecond',
  'watchlistUsers',
  'messageBytes',
  'queuedBytes',
  'connections',
] as const satisfies readonly (keyof ChannelsLimits)[];

const seconds = ['activityTimeoutSeconds', 'pongTimeoutSeconds', 'cacheTtlSeconds'] as const;

/** @returns the `channels` object of the configuration file */
export function parseChannels(value: unknown): ChannelsServerOptions {
  const at = object({ path: 'channels', value }, [...seconds, 'path', 'strictProtocol', 'limits']);
  return {
    ...optional('path', at('path'), text),
    ...optional('strictProtocol', at('strictProtocol'), flag),
    ...Object.assign({}, ...seconds.map((name) => optional(name, at(name), count))),
    ...optional('limits', at('limits'), limits),
  };
}

function limits(field: Field): Partial<ChannelsLimits> {
  const at = object(field, limitNames);
  return Object.assign({}, ...limitNames.map((name) => optional(name, at(name), count)));
}
