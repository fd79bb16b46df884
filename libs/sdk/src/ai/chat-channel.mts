import type { StreamingChannel } from '@rookery/client';

/** The part of a pusher-js channel in use. */
export interface ChatChannel extends StreamingChannel {
  readonly name: string;
  readonly subscribed: boolean;
  bind(event: string, callback: (data: never) => void): unknown;
  unbind(event: string, callback: (data: never) => void): unknown;
  trigger(event: string, data: unknown): boolean;
}

/** The parts of pusher-js in use. */
export interface ChatClient {
  readonly connection: {
    bind(event: 'message', callback: (message: { readonly event: string }) => void): unknown;
    unbind(event: 'message', callback: (message: { readonly event: string }) => void): unknown;
  };
  subscribe(channel: string): ChatChannel;
  send_event(event: string, data: unknown): boolean;
}

/**
 * Subscribes, and resolves when the client has the streams so far: they come right after the confirmation, and the answer
 * to a ping comes after them.
 * @throws Error when the channel refuses the client
 */
export function allHeard(client: ChatClient, { name }: ChatChannel): Promise<void> {
  // Asks again after a refusal.
  const channel = client.subscribe(name);
  return new Promise<void>((resolve, reject) => {
    const ping = (): void => void client.send_event('pusher:ping', {});
    const pong = ({ event }: { readonly event: string }): void => {
      if (event === 'pusher:pong' && channel.subscribed) settle(resolve);
    };
    const refused = (error: object): void => settle(() => reject(refusal(error)));
    const settle = (how: () => void): void => {
      client.connection.unbind('message', pong);
      channel.unbind('pusher:subscription_succeeded', ping);
      channel.unbind('pusher:subscription_error', refused);
      how();
    };
    client.connection.bind('message', pong);
    channel.bind('pusher:subscription_succeeded', ping);
    channel.bind('pusher:subscription_error', refused);
    if (channel.subscribed) ping();
  });
}

/** What pusher-js says of a subscription that is refused, as an error. */
export const refusal = (error: { readonly error?: string }): Error =>
  new Error(`The channel of the chat refuses: ${error.error ?? JSON.stringify(error)}`);
