import { expect, expectTypeOf, it } from 'vitest';
import * as react from '@rookery/client/react';
import * as vue from '@rookery/client/vue';
import { useChannel, useChannelState, useEvent, usePresence } from './pages/typed.js';
import type { events } from './server/events.js';

// The compiler is the judge: `tsc` fails where an error that is expected does not come.

/** A component, which no test renders. */
export function Order(): void {
  useEvent('orders.7', 'shipped', ({ carrier, at }) => {
    expectTypeOf(carrier).toEqualTypeOf<string>();
    // As JSON carries it.
    expectTypeOf(at).toEqualTypeOf<string>();
  });
  // @ts-expect-error there is no such event on the channel
  useEvent('orders.7', 'topic', () => undefined);
  // @ts-expect-error no pattern has the channel
  useChannel('parcels.7');
  // @ts-expect-error the channel has no members
  usePresence('orders.7');

  const { trigger } = useChannel('presence-room.kitchen');
  trigger('client-typing', true);
  // @ts-expect-error the data is a boolean
  trigger('client-typing', 'yes');
  // @ts-expect-error only servers send it
  trigger('topic', 'Tea');

  const carriers = useChannelState('orders.7', { shipped: (all: readonly string[], { carrier }) => [...all, carrier] });
  expectTypeOf(carriers).toEqualTypeOf<readonly string[] | undefined>();
}

/** The same for Vue. */
export function setup(): void {
  const hooks = vue.typedHooks<typeof events>();
  hooks.useEvent(
    () => 'orders.7' as const,
    'shipped',
    ({ carrier }) => expectTypeOf(carrier).toEqualTypeOf<string>(),
  );
  // @ts-expect-error there is no such event on the channel
  hooks.useEvent('orders.7', 'topic', () => undefined);
  hooks.useChannel('presence-room.kitchen').value.trigger('client-typing', true);
  // @ts-expect-error the data is a boolean
  hooks.useChannel('presence-room.kitchen').value.trigger('client-typing', 'yes');
}

it('gives the hooks types, and nothing else', () => {
  expect(useEvent).toBe(react.useEvent);
  expect(vue.typedHooks<typeof events>().useEvent).toBe(vue.useEvent);
});
