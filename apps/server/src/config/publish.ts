import type { PublishOptions } from 'rookery/publish';
import { platforms } from 'rookery/push-device';
import { count, counts, flag, list, object, optional, share, text } from './fields.js';

/** The settings of PublishModule that a server can have beside its instances. */
export type PublishServerOptions = Omit<PublishOptions, 'allowPrivateNetwork' | 'allowMemoryInProduction'>;

const numbers = [
  'pageSize',
  'concurrentPublishes',
  'slowSendMs',
  'turnMs',
  'leaseMs',
  'pollMs',
  'firstRetryMs',
  'longestRetryMs',
  'waitingRetries',
  'deletionGuardDevices',
  'deletionPauseMs',
  'retentionMs',
  'idempotencyMs',
] as const satisfies readonly (keyof PublishServerOptions)[];

/** @returns the `publish` object of the configuration file */
export function parsePublish(value: unknown): PublishServerOptions {
  const others = ['worker', 'concurrency', 'deletionGuardShare', 'webPushHosts'];
  const at = object({ path: 'publish', value }, [...numbers, ...others]);
  return {
    ...Object.assign({}, ...numbers.map((name) => optional(name, at(name), count))),
    ...optional('worker', at('worker'), flag),
    ...optional('concurrency', at('concurrency'), counts(platforms)),
    ...optional('deletionGuardShare', at('deletionGuardShare'), share),
    ...optional('webPushHosts', at('webPushHosts'), list(text)),
  };
}
