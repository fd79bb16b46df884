import type { TabOptions } from './options.mjs';
import { isPage, tabLocks, type TabWorker } from './platform.mjs';
import type { PusherClass } from './pusher-client.mjs';
import { SharedPusher, type TabsOptions } from './shared-pusher.mjs';

export { serveTabs } from './hosting.mjs';
export type { SharedChannel, SharedPresenceChannel } from './shared-channel.mjs';
export type { SharedMember, SharedMembers } from './shared-members.mjs';
export type { PusherClass, SharedPusher, TabOptions, TabsOptions, TabWorker };

/**
 * A client like `new Pusher(key, options)` that has one connection for all tabs of the browser. On a
 * server that renders pages, it connects to nothing.
 * @param tabs where that connection is: the worker, or the class of pusher-js for one of the tabs
 * @throws TypeError for options that tabs cannot share
 */
export function sharedPusher(key: string, options: TabOptions, tabs: TabsOptions): SharedPusher {
  if (!tabs.worker && !tabs.Pusher)
    throw new TypeError('sharedPusher needs a worker or pusher-js. Write sharedPusher(key, options, { Pusher })');
  const locks = isPage() ? tabLocks() : undefined;
  if (isPage() && !locks) throw new TypeError('sharedPusher needs HTTPS: browsers have no navigator.locks without it');
  return new SharedPusher(key, options, tabs, locks);
}
