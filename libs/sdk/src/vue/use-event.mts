import { computed, type MaybeRefOrGetter, toValue } from 'vue';
import { listen } from '../hooks/index.mjs';
import { useClient } from './client.mjs';
import { whileMounted } from './while-mounted.mjs';

/** Calls back with each event of a name, while the component is mounted. */
export function useEvent<Data = unknown>(
  channel: MaybeRefOrGetter<string | undefined>,
  event: string,
  callback: (data: Data, metadata?: { readonly user_id?: string }) => void,
): void {
  const client = useClient();
  const wanted = computed(() => ({ client: client(), channel: toValue(channel) }));
  whileMounted(
    () => wanted.value,
    // Of this component its own, even if two pass the same function.
    (now) => listen(now, event, (data: Data, metadata?: { readonly user_id?: string }) => callback(data, metadata)),
  );
}
