import { type MaybeRefOrGetter, type ShallowRef, toValue } from 'vue';
import { type ChannelView, viewStore } from '../hooks/index.mjs';
import { useClient } from './client.mjs';
import { useStore } from './use-store.mjs';

/** Subscribes to a channel while the component is mounted; to none while it is undefined. */
export function useChannel(channel: MaybeRefOrGetter<string | undefined>): Readonly<ShallowRef<ChannelView>> {
  const client = useClient();
  return useStore(() => viewStore({ client: client(), channel: toValue(channel) }));
}
