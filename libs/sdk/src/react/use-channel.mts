import { useMemo } from 'react';
import { type ChannelView, viewStore } from '../hooks/index.mjs';
import { useClient } from './channels-provider.mjs';
import { useStore } from './use-store.mjs';

/** Subscribes to a channel while the component is shown; to none while it is undefined. */
export function useChannel(channel: string | undefined): ChannelView {
  const client = useClient();
  return useStore(useMemo(() => viewStore({ client, channel }), [client, channel]));
}
