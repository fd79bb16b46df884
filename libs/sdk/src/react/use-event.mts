import { useEffect } from 'react';
import { listen } from '../hooks/index.mjs';
import { useClient } from './channels-provider.mjs';
import { useLatest } from './use-latest.mjs';

/** Calls back with each event of a name, while the component is shown. The callback may change with each rendering. */
export function useEvent<Data = unknown>(
  channel: string | undefined,
  event: string,
  callback: (data: Data, metadata?: { readonly user_id?: string }) => void,
): void {
  const client = useClient();
  const latest = useLatest(callback);
  useEffect(
    () =>
      listen({ client, channel }, event, (data: Data, metadata?: { readonly user_id?: string }) =>
        latest.current(data, metadata),
      ),
    [client, channel, event, latest],
  );
}
