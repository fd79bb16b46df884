import { type MaybeRefOrGetter, type ShallowRef, toValue } from 'vue';
import { type Roster, rosterStore } from '../hooks/index.mjs';
import { useClient } from './client.mjs';
import { useStore } from './use-store.mjs';

/** The members of a presence channel, with what the server authorized as their `user_info`. */
export function usePresence<Info = unknown>(
  channel: MaybeRefOrGetter<string | undefined>,
): Readonly<ShallowRef<Roster<Info>>> {
  const client = useClient();
  return useStore(() => rosterStore<Info>({ client: client(), channel: toValue(channel) }));
}
