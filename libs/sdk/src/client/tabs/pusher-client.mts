import type { ConnectedClient } from '../frames.mjs';

interface ClientEmitter {
  bind(event: string, callback: (data: never) => void): unknown;
  bind_global(callback: (event: string, data: never) => void): unknown;
  unbind_global(callback: (event: string, data: never) => void): unknown;
}

/** The parts of a pusher-js channel in use. */
export interface ClientChannel extends ClientEmitter {
  readonly subscribed: boolean;
  readonly subscriptionPending: boolean;
  readonly subscriptionCount: number | null;
  readonly members?: { readonly members: Record<string, unknown>; readonly myID: string };
}

/** The parts of pusher-js in use. */
export interface PusherClient {
  readonly connection: ConnectedClient['connection'] & ClientEmitter & { readonly socket_id: string };
  readonly user: ClientEmitter & { readonly user_data: unknown; readonly watchlist: ClientEmitter };
  subscribe(channel: string): object;
  unsubscribe(channel: string): void;
  send_event(event: string, data: unknown, channel?: string): boolean;
  signin(): void;
  connect(): void;
  disconnect(): void;
}

/** The class `Pusher` of pusher-js, in any of its builds. */
export type PusherClass = new (key: string, options: never) => PusherClient;
