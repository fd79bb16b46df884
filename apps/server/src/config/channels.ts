import type { ChannelsLimits, ChannelsOptions, WebhookSettings } from 'rookery/channels';
import { count, counts, flag, object, optional, text } from './fields.js';

/** The settings of ChannelsModule that a server can have beside its apps. */
export type ChannelsServerOptions = Omit<ChannelsOptions, 'apps'>;

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

const webhooks = [
  'timeoutMs',
  'retryMs',
  'holdMs',
  'cacheMissMs',
  'batchMs',
  'batchEvents',
] as const satisfies readonly (keyof WebhookSettings)[];
const sender = [
  'concurrency',
  'concurrencyPerEndpoint',
  'pollMs',
  'shutdownMs',
] as const satisfies readonly (keyof NonNullable<ChannelsOptions['webhookSender']>)[];

const seconds = ['activityTimeoutSeconds', 'pongTimeoutSeconds', 'cacheTtlSeconds'] as const;

/** @returns the `channels` object of the configuration file */
export function parseChannels(value: unknown): ChannelsServerOptions {
  const at = object({ path: 'channels', value }, [
    ...seconds,
    'path',
    'strictProtocol',
    'limits',
    'webhooks',
    'webhookSender',
  ]);
  return {
    ...optional('path', at('path'), text),
    ...optional('strictProtocol', at('strictProtocol'), flag),
    ...Object.assign({}, ...seconds.map((name) => optional(name, at(name), count))),
    ...optional('limits', at('limits'), counts(limitNames)),
    ...optional('webhooks', at('webhooks'), counts(webhooks)),
    ...optional('webhookSender', at('webhookSender'), counts(sender)),
  };
}
