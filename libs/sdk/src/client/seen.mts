/** The part of a pusher-js channel in use. */
export interface SeeingChannel {
  readonly name: string;
  readonly subscribed: boolean;
  readonly pusher: { send_event(event: string, data: unknown, channel?: string): boolean };
  bind(event: string, callback: () => void): unknown;
}

/** As many as the server takes in one message. */
const atOnce = 100;
/** Of each channel, what is not reported yet. */
const due = new WeakMap<SeeingChannel, string[]>();

/**
 * Reports that the page has shown an event, to servers that asked for receipts: `channel.bind('message', (message) => {
 * show(message); seen(channel, message); })`. While the page is offline, reports wait.
 *
 * @param data as a callback of the channel got it; without a receipt, nothing is reported
 */
export function seen(channel: SeeingChannel, data: unknown): void {
  const receipt = (data as { rookery?: { receipt?: string } } | null)?.rookery?.receipt;
  if (!receipt) return;
  let receipts = due.get(channel);
  if (!receipts) {
    due.set(channel, (receipts = []));
    channel.bind('pusher:subscription_succeeded', () => report(channel));
  }
  // Those of one moment in one message.
  if (receipts.push(receipt) === 1) setTimeout(report, 0, channel);
}

function report(channel: SeeingChannel): void {
  const receipts = due.get(channel)!;
  while (receipts.length > 0 && channel.subscribed) {
    const data = { receipts: receipts.slice(0, atOnce) };
    if (!channel.pusher.send_event('rookery:seen', data, channel.name)) return;
    receipts.splice(0, atOnce);
  }
}
