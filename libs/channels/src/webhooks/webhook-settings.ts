/** How the webhooks of all apps are sent (channels-wire §7). */
export interface WebhookSettings {
  /** How long one try may take, in milliseconds, at most 30000. @default 10000 */
  readonly timeoutMs: number;
  /** How long tries are repeated, after 1, 2, 4 … seconds, in milliseconds. @default 300000 */
  readonly retryMs: number;
  /** How long channel_vacated and member_removed wait for being taken back, in milliseconds. @default 3000 */
  readonly holdMs: number;
  /** How long one cache_miss stands for all of its channel, in milliseconds. @default 1000 */
  readonly cacheMissMs: number;
  /** How long the events of an app with `batchWebhooks` are collected, in milliseconds. @default 1000 */
  readonly batchMs: number;
  /** Events after which a batch is sent early. @default 100 */
  readonly batchEvents: number;
}

const defaults: WebhookSettings = {
  timeoutMs: 10_000,
  retryMs: 300_000,
  holdMs: 3000,
  cacheMissMs: 1000,
  batchMs: 1000,
  batchEvents: 100,
};

/** The settings with their defaults. Throws on one that cannot work. */
export function webhookSettings(options: Partial<WebhookSettings> = {}): WebhookSettings {
  const settings = { ...defaults, ...options };
  between('timeoutMs', settings.timeoutMs, 1, 30_000);
  between('retryMs', settings.retryMs, 0, Infinity);
  between('holdMs', settings.holdMs, 0, 60_000);
  between('cacheMissMs', settings.cacheMissMs, 0, 60_000);
  between('batchMs', settings.batchMs, 0, 60_000);
  between('batchEvents', settings.batchEvents, 2, Infinity);
  return settings;
}

function between(name: keyof WebhookSettings, value: number, least: number, most: number): void {
  if (value >= least && value <= most) return;
  throw new Error(`ChannelsModule: webhooks.${name} must be ${least} to ${most}, got ${String(value)}`);
}
