import { PusherJs } from './pusher-js.js';
import type { TriggerLoad } from './trigger-load.js';

/**
 * How long a close may take to its client on a crowded machine, besides the time of two requests: what is accepted while it
 * is on its way cannot be sent any more.
 */
const closingMs = 200;

/** A stock client, without a session, that counts its sockets and the times in which it was off its channel. */
export class RestartedClient {
  /** When each number was first heard, by performance.now(). */
  readonly heard = new Map<number, number>();
  /** When it was off its channel after it had been on it, by performance.now(). */
  readonly absences: { readonly from: number; to: number }[] = [];
  private onSince = Infinity;
  private first = Infinity;
  private readonly madeAt = performance.now();
  private readonly client: PusherJs;
  private opened = 0;

  constructor(key: string, port: number, channel: string) {
    this.client = new PusherJs(key, {
      cluster: '',
      wsHost: '127.0.0.1',
      wsPort: port,
      forceTLS: false,
      enabledTransports: ['ws'],
    });
    this.client.connection.bind('connecting', () => (this.opened += 1));
    this.client.connection.bind('state_change', ({ previous }: { readonly previous: string }) => {
      if (previous === 'connected') this.left();
    });
    const subscribed = this.client.subscribe(channel);
    subscribed.bind('pusher:subscription_succeeded', () => this.isBack());
    subscribed.bind('number', (n: number) => {
      if (!this.heard.has(n)) this.heard.set(n, performance.now());
    });
  }

  /** How many sockets it has opened. */
  get sockets(): number {
    return this.opened;
  }

  /** How long it took to be on its channel for the first time. */
  get joinedAfterMs(): number {
    return this.first - this.madeAt;
  }

  get isSubscribed(): boolean {
    return this.onSince < Infinity;
  }

  /**
   * The accepted events that it has not heard, although it was on its channel when they were sent, and still when all
   * others had heard them and the answer might have come a second time: a close is on its way for some milliseconds, too.
   */
  lostOf({ accepted, sentAt, acceptedAt }: TriggerLoad, all: readonly RestartedClient[]): readonly number[] {
    return accepted.filter((n) => {
      if (this.heard.has(n)) return false;
      const [sent, answered] = [sentAt.get(n)!, acceptedAt.get(n)!];
      const heardByAll = Math.max(...all.map(({ heard }) => heard.get(n) ?? 0));
      return this.wasOn(sent, Math.max(answered + 2 * (answered - sent), heardByAll) + closingMs);
    });
  }

  disconnect(): void {
    this.client.disconnect();
  }

  private wasOn(from: number, to: number): boolean {
    return this.first <= from && !this.absences.some((absence) => absence.from <= to && absence.to >= from);
  }

  private isBack(): void {
    const now = performance.now();
    this.first = Math.min(this.first, now);
    this.onSince = now;
    const last = this.absences.at(-1);
    if (last?.to === Infinity) last.to = now;
  }

  private left(): void {
    if (!this.isSubscribed) return;
    this.onSince = Infinity;
    this.absences.push({ from: performance.now(), to: Infinity });
  }
}
