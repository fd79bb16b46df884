/** A channel of pusher-js. */
export interface SeeingChannel {
  readonly name: string;
  readonly subscribed: boolean;
  readonly pusher: { send_event(event: string, data: unknown, channel?: string): boolean };
  bind(event: string, callback: () => void): unknown;
}

/** Reports of a channel that are not sent yet. */
const due = new WeakMap<SeeingChannel, Set<string>>();
/** As many as the server takes in one message, and how soon the next may follow. */
const [atOnce, againMs] = [100, 200];

/**
 * Reports that the page has shown an event, to servers that asked for receipts: `channel.bind('message', (message) => {
 * show(message); seen(channel, message); })`. While the page is offline, reports wait.
 *
 * @param data as a callback of the channel got it; without a receipt, nothing is reported
 */
export function seen(channel: SeeingChannel, data: unknown): void {
  const { receipt } = (data as { rookery?: { receipt?: string } } | null)?.rookery ?? {};
  if (!receipt) return;
  let reports = due.get(channel);
  if (!reports) {
    due.set(channel, (reports = new Set()));
    channel.bind('pusher:subscription_succeeded', () => send(channel, reports!));
  }
  if (reports.add(receipt).size === 1) setTimeout(() => send(channel, reports), 0);
}

function send(channel: SeeingChannel, reports: Set<string>): void {
  const receipts = [...reports].slice(0, atOnce);
  const { name, pusher, subscribed } = channel;
  if (receipts.length === 0 || !subscribed || !pusher.send_event('rookery:seen', { receipts }, name)) return;
  for (const receipt of receipts) reports.delete(receipt);
  if (reports.size > 0) setTimeout(() => send(channel, reports), againMs);
}
