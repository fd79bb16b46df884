/** What is used of an emitter of pusher-js. */
interface Emitter {
  bind(event: string, callback: () => void): unknown;
  bind_global(callback: (event: string, message: { readonly data?: unknown }) => void): unknown;
}

/** What is used of pusher-js. */
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

/** More than a server lets wait for their answers: what came before so many pings is not replayed any more. */
const mostPings = 20;

/**
 * Lets each event of a channel with a history be heard once, also where the server replays what it cannot know that the
 * client has; for a client whose `wsPath` names its session. Once for each client: `withoutDoubles(new Pusher(…))`.
 * @returns the client
 */
export function withoutDoubles<T extends ConnectedClient>(client: T): T {
  /** Positions that came on a channel, the latest last, with the number of pings by then. */
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
      if (pings - at < mostPings) break;
      positions.delete(old);
    }
    return false;
  };

  const watch = (): void =>
    // Those who listen to everything are told first, and pusher-js reads the message afterwards: of an internal event
    // that it does not know it tells nobody.
    void client.connection.connection.transport.bind_global((event, message) => {
      if (event !== 'message' || !/"position":|"pusher:ping"/.test(message.data as string)) return;
      if (isDouble(JSON.parse(message.data as string) as HistoryFrame))
        Object.defineProperty(message, 'data', { value: '{"event":"pusher_internal:double"}' });
    });

  client.connection.bind('connected', watch);
  if (client.connection.state === 'connected') watch();
  return client;
}
