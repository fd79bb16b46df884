/** The parts of a pusher-js channel in use. */
export interface PageChannel {
  readonly name: string;
  readonly subscribed: boolean;
  readonly subscriptionCancelled?: boolean;
  readonly members?: PageMembers | undefined;
  bind(event: string, callback: (...args: never[]) => void): unknown;
  unbind(event: string, callback: (...args: never[]) => void): unknown;
  trigger(event: string, data: unknown): boolean;
  subscribe?(): void;
  unsubscribe?(): void;
}

/** The parts of the members of a pusher-js presence channel in use. */
export interface PageMembers {
  readonly myID: unknown;
  each(callback: (member: { readonly id: string; readonly info: unknown }) => void): void;
}

interface PageEmitter {
  bind(event: string, callback: (data: never) => void): unknown;
  unbind(event: string, callback: (data: never) => void): unknown;
}

/** The parts of pusher-js in use; what `sharedPusher` returns has them too. */
export interface PusherClient {
  readonly connection: PageEmitter & { readonly state: string };
  readonly user: PageEmitter;
  subscribe(channel: string): PageChannel;
  unsubscribe(channel: string): void;
  channel(name: string): PageChannel | undefined;
  signin(): void;
}

/** The part of Laravel Echo in use. */
export interface EchoClient {
  readonly connector: { readonly pusher: PusherClient };
}

/** A client that hooks take: pusher-js, or Laravel Echo over it. */
export type PageClient = PusherClient | EchoClient;

export const pusherOf = (client: PageClient): PusherClient =>
  'connector' in client ? client.connector.pusher : client;
