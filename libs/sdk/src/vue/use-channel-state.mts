import type { StateChanges } from '@rookery/client';
import { type MaybeRefOrGetter, type ShallowRef, toValue } from 'vue';
import { stateStore } from '../hooks/index.mjs';
import { useClient } from './client.mjs';
import { useStore } from './use-store.mjs';

/**
 * The state that the server sends on a channel (`@ChannelState`), kept up to date: each event that `changes` names makes
 * the next state. A change may be in the state already, so it must do no harm twice. Undefined until the state comes.
 */
export function useChannelState<State>(
  channel: MaybeRefOrGetter<string | undefined>,
  changes: StateChanges<State>,
): Readonly<ShallowRef<State | undefined>> {
  const client = useClient();
  return useStore(() => stateStore({ client: client(), channel: toValue(channel) }, () => changes));
}
