import { IsCount, Optional } from 'rookery/common';

/** How the webhooks of all apps are sent (channels-wire §7). */
export class WebhookSettings {
  /** The timeout of one try, in milliseconds, at most 30000. @default 10000 */
  @IsCount(1, 30_000)
  readonly timeoutMs: number = 10_000;
  /** How long failed tries are repeated, after 1, 2, 4 … seconds, in milliseconds. @default 300000 */
  @IsCount()
  readonly retryMs: number = 300_000;
  /**
   * How many webhooks may wait, over all apps; beyond it, the oldest of the endpoints with the most are given up.
   * Checked every five seconds. @default 100000
   */
  @IsCount(1)
  readonly maxWaiting: number = 100_000;
  /** How many dead webhooks of an app are kept; beyond it, the oldest are dropped. 0: none. @default 1000 */
  @IsCount(0, 100_000)
  readonly deadLetters: number = 1000;
  /** How long dead webhooks are kept, in milliseconds. @default 1209600000, 14 days */
  @IsCount(0, 31_536_000_000)
  readonly deadLetterMs: number = 14 * 86_400_000;
  /**
   * How long channel_vacated and member_removed may be cancelled before they are sent, in milliseconds. @default 3000
   */
  @IsCount(0, 60_000)
  readonly holdMs: number = 3000;
  /** After a cache_miss, how long further ones of the channel are suppressed, in milliseconds. @default 1000 */
  @IsCount(0, 60_000)
  readonly cacheMissMs: number = 1000;
  /** How long the events of an app with `batchWebhooks` are collected, in milliseconds. @default 1000 */
  @IsCount(0, 60_000)
  readonly batchMs: number = 1000;
  /** How many events fill a batch, which is then sent early. @default 100 */
  @IsCount(2)
  readonly batchEvents: number = 100;
}

/** The concurrency of the webhook sender. */
export class WebhookSenderSettings {
  /** Concurrent tries. Endpoints that fail or are slow use at most half of them. @default 256 */
  @Optional()
  @IsCount(1)
  readonly concurrency?: number;
  /** Concurrent tries to one endpoint. @default 8 */
  @Optional()
  @IsCount(1)
  readonly concurrencyPerEndpoint?: number;
  /** How often the outbox is polled for webhooks of other processes, in milliseconds. @default 1000 */
  @Optional()
  @IsCount(1)
  readonly pollMs?: number;
  /** How long a shutdown waits for tries that are due or in progress, in milliseconds. @default 5000 */
  @Optional()
  @IsCount()
  readonly shutdownMs?: number;
}
