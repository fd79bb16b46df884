import type { StateChanges } from '@rookery/client';
import { type ChannelView, viewOf } from './channel-view.mjs';
import type { HeldChannel } from './held-channel.mjs';
import { heldChannel, hold, type Wanted } from './held-channels.mjs';
import { type Roster, rosterOf } from './roster.mjs';

/** A value that changes, in the form that React's `useSyncExternalStore` takes. */
export interface Store<Value> {
  readonly read: () => Value;
  /** Where pages are rendered on a server, and until then in the page. */
  readonly initial: () => Value;
  /** @returns ends it */
  readonly subscribe: (changed: () => void) => () => void;
}

function storeOf<Value>(
  wanted: Wanted,
  valueOf: (held: HeldChannel | undefined) => Value,
  begin?: (held: HeldChannel) => void,
): Store<Value> {
  return {
    read: () => valueOf(heldChannel(wanted)),
    initial: () => valueOf(undefined),
    subscribe: (changed) =>
      hold(wanted, (held) => {
        begin?.(held);
        // Of each subscriber its own, even if two pass the same function.
        const listener = (): void => changed();
        held.listeners.add(listener);
        return () => void held.listeners.delete(listener);
      }),
  };
}

export const viewStore = (wanted: Wanted): Store<ChannelView> => storeOf(wanted, viewOf);

export const rosterStore = <Info,>(wanted: Wanted): Store<Roster<Info>> => storeOf(wanted, rosterOf<Info>);

/** The caller states the type of its server's state. */
export const stateStore = <State,>(wanted: Wanted, changes: () => StateChanges<State>): Store<State | undefined> =>
  storeOf(
    wanted,
    (held) => held?.state.current as State | undefined,
    (held) => held.state.follow(changes()),
  );
