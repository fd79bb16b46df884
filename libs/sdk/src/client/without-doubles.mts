/** The parts of a pusher-js emitter in use. */
interface Emitter {
  bind(event: string, callback: () => void): unknown;
  bind_global(callback: (event: string, message: { readonly data?: unknown }) => void): unknown;
}

/** The parts of pusher-js in use. */
export interface ConnectedClient {
  readonly connection: Pick<Emitter, 'bind'> & {
    readonly state: string;
    readonly connection: { readonly transport: Pick<Emitter, 'bind_global'> };
  };
}

interface HistoryFrame {
  readonly event: string;
  readonly channel?: string;
  readonly position?: string;
  readonly replayed?: boolean;
}

/** More pings than a server leaves unanswered: events from before these are not replayed any more. */
const maxPings = 20;

/**
 * Delivers each event of a channel with a history once, even if the server replays events that the client has received
 * without acknowledging them. For a client whose `wsPath` names its session; call it once for each client:
 * `withoutDoubles(new Pusher(…))`.
 * @returns the client
 */
export function withoutDoubles<T extends ConnectedClient>(client: T): T {
  /** Positions received on a channel, the latest last, with the number of pings until then. */
  const came = new Map<string, Map<string, number>>();
  let pings = 0;

  const isDouble = ({ event, channel = '', position, replayed }: HistoryFrame): boolean => {
    if (event === 'pusher:ping') pings++;
    if (!position) return false;
    const positions = came.get(channel) ?? new Map<string, number>();
    came.set(channel, positions);
    const isKnown = positions.delete(position);
    positions.set(position, pings);
    if (replayed) return isKnown;
    for (const [old, at] of positions) {
      if (pings - at < maxPings) break;
      positions.delete(old);
    }
    return false;
  };

  const watch = (): void =>
    // Global listeners of the transport run before pusher-js reads the message, which emits nothing for an internal
    // event that it does not know.
    void client.connection.connection.transport.bind_global((event, message) => {
      if (event !== 'message' || !/"position":|"pusher:ping"/.test(message.data as string)) return;
      if (isDouble(JSON.parse(message.data as string) as HistoryFrame))
        Object.defineProperty(message, 'data', { value: '{"event":"pusher_internal:double"}' });
    });

  client.connection.bind('connected', watch);
  if (client.connection.state === 'connected') watch();
  return client;
}
