import { Doubles, type HistoryFrame } from './doubles.mjs';
import { beforeFrames, type ConnectedClient } from './frames.mjs';

export type { ConnectedClient };

/**
 * Delivers each event of a channel with a history once, even if the server replays events that the client has received
 * without acknowledging them. For a client whose `wsPath` names its session; call it once for each client:
 * `withoutDoubles(new Pusher(…))`.
 * @returns the client
 */
export function withoutDoubles<T extends ConnectedClient>(client: T): T {
  const doubles = new Doubles();
  beforeFrames(client, (message) => {
    if (!/"position":|"pusher:ping"/.test(message.data as string)) return;
    // pusher-js emits nothing for an internal event that it does not know.
    if (doubles.isDouble(JSON.parse(message.data as string) as HistoryFrame))
      Object.defineProperty(message, 'data', { value: '{"event":"pusher_internal:double"}' });
  });
  return client;
}
