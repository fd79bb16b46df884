import { type PageClient, pusherOf, type PusherClient } from './page-client.mjs';
import type { Store } from './store.mjs';

/** The last number that came, for components that are shown later. */
const known = new WeakMap<PusherClient, number>();

/** The number of the user's unread notifications; undefined until the first one is new or read. Signs the user in. */
export const unreadStore = (client: PageClient | undefined): Store<number | undefined> => ({
  read: () => client && known.get(pusherOf(client)),
  initial: () => undefined,
  subscribe: (changed) => {
    if (!client) return () => undefined;
    const pusher = pusherOf(client);
    const heard = ({ unread }: { readonly unread: number }): void => {
      known.set(pusher, unread);
      changed();
    };
    pusher.user.bind('rookery:notifications', heard);
    pusher.signin();
    return () => void pusher.user.unbind('rookery:notifications', heard);
  },
});
