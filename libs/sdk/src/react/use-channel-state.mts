import type { StateChanges } from '@rookery/client';
import { useMemo } from 'react';
import { stateStore } from '../hooks/index.mjs';
import { useClient } from './channels-provider.mjs';
import { useLatest } from './use-latest.mjs';
import { useStore } from './use-store.mjs';

/**
 * The state that the server sends on a channel (`@ChannelState`), kept up to date: each event that `changes` names makes
 * the next state. A change may be in the state already, so it must do no harm twice. Undefined until the state comes.
 */
export function useChannelState<State>(channel: string | undefined, changes: StateChanges<State>): State | undefined {
  const client = useClient();
  const latest = useLatest(changes);
  return useStore(useMemo(() => stateStore({ client, channel }, () => latest.current), [client, channel, latest]));
}
