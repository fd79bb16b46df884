import { computed, type ComputedRef, type MaybeRefOrGetter, toValue } from 'vue';
import { unreadStore } from '../hooks/index.mjs';
import { useClient } from './client.mjs';
import { useStore } from './use-store.mjs';

/**
 * The number of the user's unread notifications. Signs the user in.
 * @param initial the number that your server knows (`notifications.feed`), shown until one comes
 */
export function useUnread(initial: MaybeRefOrGetter<number> = 0): ComputedRef<number> {
  const client = useClient();
  const unread = useStore(() => unreadStore(client()));
  return computed(() => unread.value ?? toValue(initial));
}
