import { inject, type InjectionKey, type MaybeRef, toValue } from 'vue';
import type { PageClient } from '../hooks/index.mjs';

/**
 * Gives all hooks their client: `app.provide(clientKey, pusher)`. It is pusher-js, `sharedPusher` or Laravel Echo, or a
 * `shallowRef` of it; undefined where pages are rendered on a server.
 */
export const clientKey: InjectionKey<MaybeRef<PageClient | undefined>> = Symbol('@rookery/client');

/** @throws Error where none is provided */
export function useClient(): () => PageClient | undefined {
  const client = inject(clientKey, null);
  if (client === null) throw new Error('Hooks of @rookery/client/vue need app.provide(clientKey, pusher)');
  return () => toValue(client);
}
