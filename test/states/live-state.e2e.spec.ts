import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { state } from '@rookery/client';
import { until } from '../support/until.js';
import { type Orders, startOrders } from './orders-host.js';

let host: Awaited<ReturnType<typeof startOrders>>;
let orders: Orders;
beforeAll(async () => {
  host = await startOrders();
  ({ orders } = host);
});
afterAll(() => host.close());
beforeEach(() => orders.reset());
afterEach(() => host.disconnect());

describe('the state that @rookery/client keeps up to date', () => {
  const added = (all: readonly string[], order: string): readonly string[] => [...new Set([...all, order])];

  it('shows the state, each change of it, and a fresh one after a reconnect', async () => {
    await orders.add('bread');
    const client = host.connect();
    const live = state<readonly string[]>(client.subscribe('orders.7'), { added });
    const shown: (readonly string[])[] = [];
    const end = live.subscribe((all) => shown.push(all));
    expect(live.current).toBeUndefined();
    await until(() => shown.length === 1, 'the state has come');
    await orders.add('cake');
    await until(() => shown.length === 2, 'the change has come');
    client.disconnect();
    await orders.add('pie');
    client.connect();
    await until(() => shown.length === 3, 'a fresh state has come');
    expect(shown).toEqual([['bread'], ['bread', 'cake'], ['bread', 'cake', 'pie']]);
    const late: unknown[] = [];
    live.subscribe((all) => late.push(all));
    expect(late).toEqual([live.current]);
    end();
    await orders.add('tart');
    await until(() => late.length === 2, 'the others still hear of changes');
    expect(shown).toHaveLength(3);
  });

  it('puts together a state that comes in pieces', async () => {
    for (let number = 0; number < 15_000; number++) orders.orders.push(`order ${number} “£”`);
    const live = state<readonly string[]>(host.connect().subscribe('orders.7'), { added });
    await until(() => live.current !== undefined, 'the state has come');
    expect(live.current).toEqual(orders.orders);
    await orders.add('the last');
    await until(() => live.current?.length === 15_001, 'the change has come');
  });
});
