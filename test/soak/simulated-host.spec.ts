import { simulate } from '@rookery/testing';
import { expect, it } from 'vitest';
import { OrdersTable, Shop, ShopModule } from '../simulation/shop.module.js';

// The code of docs/testing.md; test/simulation/host.spec.ts has the same story with one seed.
it('runs authorizers, hooks and notifications of a host over three processes and a failover, with 20 seeds', async () => {
  await simulate(ShopModule, { shared: [OrdersTable] }, async (world) => {
    const ann = await world.client({ user: 'ann', headers: { 'x-user': 'ann' } });
    await ann.subscribe('private-orders-7');
    await world.failover();
    await world.get(Shop).ship('7', 'ann');
    expect((await ann.next('shipped')).data).toEqual({ order: '7' });
  });
}, 300_000);
