import { IsCount, Optional } from 'rookery/common';

/** How the webhooks of all apps are sent (channels-wire §7). */
export class WebhookSettings {
  /** How long one try may take, in milliseconds, at most 30000. @default 10000 */
  @IsCount(1, 30_000)
  readonly timeoutMs: number = 10_000;
  /** How long tries are repeated, after 1, 2, 4 … seconds, in milliseconds. @default 300000 */
  @IsCount()
  readonly retryMs: number = 300_000;
  /**
   * Webhooks that may wait, over all apps; beyond it, the earliest of the endpoints with the most are given up. Counted
   * every five seconds. @default 100000
   */
  @IsCount(1)
  readonly maxWaiting: number = 100_000;
  /** Webhooks of an app that are kept when they were given up; beyond it, the oldest go. 0: none. @default 1000 */
  @IsCount(0, 100_000)
  readonly deadLetters: number = 1000;
  /** How long they are kept, in milliseconds. @default 1209600000, 14 days */
  @IsCount(0, 31_536_000_000)
  readonly deadLetterMs: number = 14 * 86_400_000;
  /** How long channel_vacated and member_removed wait for being taken back, in milliseconds. @default 3000 */
  @IsCount(0, 60_000)
  readonly holdMs: number = 3000;
  /** How long one cache_miss stands for all of its channel, in milliseconds. @default 1000 */
  @IsCount(0, 60_000)
  readonly cacheMissMs: number = 1000;
  /** How long the events of an app with `batchWebhooks` are collected, in milliseconds. @default 1000 */
  @IsCount(0, 60_000)
  readonly batchMs: number = 1000;
  /** Events after which a batch is sent early. @default 100 */
  @IsCount(2)
  readonly batchEvents: number = 100;
}

/** How much the sender of webhooks does at once. */
export class WebhookSenderSettings {
  /** Tries under way at once. Endpoints that fail or are slow have at most half of them. @default 256 */
  @Optional()
  @IsCount(1)
  readonly concurrency?: number;
  /** Tries under way at once to one endpoint. @default 8 */
  @Optional()
  @IsCount(1)
  readonly concurrencyPerEndpoint?: number;
  /** How often the outbox is asked for what other processes left, in milliseconds. @default 1000 */
  @Optional()
  @IsCount(1)
  readonly pollMs?: number;
  /** How long a shutdown waits for what is due and under way, in milliseconds. @default 5000 */
  @Optional()
  @IsCount()
  readonly shutdownMs?: number;
}
