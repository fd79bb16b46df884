import { type AskingChannel, type AskingClient, request } from '@rookery/client';
import type { SimulatedClient } from '@rookery/testing';

type Callback = (data: never) => void;

/** What pusher-js shows a page of its connection, for a simulated client: `request()` runs on it as in a browser. */
export class SimulatedPage implements AskingClient {
  private readonly callbacks: (readonly [event: string, callback: Callback])[] = [];
  private state = 'connecting';
  private seen = 0;
  readonly connection;

  constructor(private readonly client: SimulatedClient) {
    const state = (): string => this.state;
    this.connection = {
      get state() {
        return state();
      },
      bind: (event: string, callback: () => void) => this.bind(event, callback),
    };
  }

  bind(event: string, callback: Callback): void {
    this.callbacks.push([event, callback]);
  }

  send_event(event: string, data: unknown, channel?: string): boolean {
    this.client.trigger(channel!, event, data);
    return true;
  }

  ask(name: string, data: unknown, on?: string, timeoutMs?: number): Promise<unknown> {
    return request(on === undefined ? this : this.channel(on), name, data, { ...(timeoutMs && { timeoutMs }) });
  }

  /** Passes on what has come since. To be called all the time. */
  look(): void {
    for (; this.seen < this.client.events.length; this.seen++) {
      const { event, data } = this.client.events[this.seen]!;
      if (event === 'pusher:connection_established') this.becomes('connecting');
      this.emit(event.replace('pusher_internal:', 'pusher:'), data);
    }
    this.becomes(this.client.isConnected ? 'connected' : 'connecting');
  }

  private channel(name: string): AskingChannel {
    const { client } = this;
    return {
      name,
      pusher: this,
      get subscribed() {
        return client.channels.includes(name);
      },
      bind: (event, callback) => this.bind(event, callback),
    };
  }

  private becomes(state: string): void {
    if (this.state === state) return;
    this.state = state;
    this.emit('state_change');
  }

  private emit(event: string, data?: unknown): void {
    // Each callback has the type of its event, as in pusher-js.
    for (const [bound, callback] of this.callbacks) if (bound === event) callback(data as never);
  }
}
