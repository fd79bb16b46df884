import { useMemo } from 'react';
import { unreadStore } from '../hooks/index.mjs';
import { useClient } from './channels-provider.mjs';
import { useStore } from './use-store.mjs';

/**
 * The number of the user's unread notifications. Signs the user in.
 * @param initial the number that your server knows (`notifications.feed`), shown until one comes
 */
export function useUnread(initial = 0): number {
  const client = useClient();
  return useStore(useMemo(() => unreadStore(client), [client])) ?? initial;
}
