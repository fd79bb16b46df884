import PusherJs, { type Channel } from 'pusher-js';

export { PusherJs };

/** Subscribes. @throws what pusher-js says of a subscription that is refused */
export const joined = (client: PusherJs, name: string): Promise<any> =>
  new Promise((resolve, reject) => {
    const channel: Channel = client.subscribe(name);
    channel.bind('pusher:subscription_succeeded', () => resolve(channel));
    channel.bind('pusher:subscription_error', reject);
  });
