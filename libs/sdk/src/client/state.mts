/** The parts of a pusher-js channel in use. */
export interface StatefulChannel {
  bind(event: string, callback: (data: unknown) => void): unknown;
}

/** What a change makes of a state: a new one, because the earlier one may be on the screen. */
export type StateChanges<State> = Readonly<Record<string, (state: State, data: never) => State>>;

/** The state of a channel, kept up to date, in the form that React's `useSyncExternalStore` takes. */
export interface LiveState<State> {
  /** Undefined until it came. */
  readonly current: State | undefined;
  /**
   * Calls back with each new state, and at once if there is one.
   * @returns ends it
   */
  readonly subscribe: (listener: (state: State) => void) => () => void;
}

/** An event with a state, or with a piece of its JSON. */
type StateEvent<State> =
  { readonly state: State } | { readonly at: number; readonly text: string; readonly end?: 'done' };

/**
 * Follows the state that the server sends on a channel (`@ChannelState`): each event that `changes` names makes the next
 * one of it. A change may be in the state already, so it must do no harm twice.
 */
export function state<State>(channel: StatefulChannel, changes: StateChanges<State>): LiveState<State> {
  const listeners = new Set<(state: State) => void>();
  let current: State | undefined;
  let hasCome = false;
  let json = '';

  const show = (next: State): void => {
    current = next;
    hasCome = true;
    for (const listener of listeners) listener(next);
  };

  const take = (data: unknown): void => {
    const event = data as StateEvent<State>;
    if ('state' in event) return show(event.state);
    // All pieces come in order, with nothing in between.
    json = event.at === 0 ? event.text : json + event.text;
    if (event.end === undefined) return;
    show(JSON.parse(json) as State);
    json = '';
  };
  channel.bind('rookery:state', take);
  channel.bind('rookery:state_piece', take);
  for (const [event, change] of Object.entries(changes))
    channel.bind(event, (data) => {
      // The server's events have the data that the page's functions expect.
      if (hasCome) show(change(current as State, data as never));
    });

  return {
    get current() {
      return current;
    },
    subscribe(listener) {
      listeners.add(listener);
      if (hasCome) listener(current as State);
      return () => void listeners.delete(listener);
    },
  };
}
