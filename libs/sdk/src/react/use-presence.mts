import { useMemo } from 'react';
import { type Roster, rosterStore } from '../hooks/index.mjs';
import { useClient } from './channels-provider.mjs';
import { useStore } from './use-store.mjs';

/** The members of a presence channel, with what the server authorized as their `user_info`. */
export function usePresence<Info = unknown>(channel: string | undefined): Roster<Info> {
  const client = useClient();
  return useStore(useMemo(() => rosterStore<Info>({ client, channel }), [client, channel]));
}
