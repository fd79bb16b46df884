import { expect, it } from 'vitest';
import { type Disturbance, survived } from './disturbed.js';

/** A shop that sells a piece once and posts it. */
class Store {
  pieces = 1;
  posted: string[] = [];
  sold = new Set<string>();

  async left(): Promise<number> {
    return this.pieces;
  }

  async take(): Promise<void> {
    this.pieces -= 1;
  }

  async sell(buyer: string): Promise<boolean> {
    if (this.sold.has(buyer)) return true;
    if (this.pieces === 0) return false;
    this.pieces -= 1;
    this.sold.add(buyer);
    return true;
  }

  async post(buyer: string): Promise<void> {
    if (!this.posted.includes(buyer)) this.posted.push(buyer);
  }
}

interface Shop {
  readonly store: Store;
  readonly disturbed: Store;
}

const world = (disturbance: Disturbance): Shop => {
  const store = new Store();
  return { store, disturbed: disturbance.port('store', store, ['left', 'take', 'sell', 'post']) };
};
const end = ({ store: { pieces, posted } }: Shop) => ({ pieces, posted });

it('passes work that checks and takes in one call, and may be repeated', async () => {
  const buy = async (store: Store, buyer: string): Promise<void> => {
    if (await store.sell(buyer)) await store.post(buyer);
  };
  const story = { world, end, work: (shop: Shop) => buy(shop.disturbed, 'ann') };
  expect(await survived({ ...story, other: ({ store }) => buy(store, 'bob') })).toEqual([]);
});

it('reports work that looks first, and takes what another has taken meanwhile', async () => {
  const buy = async (store: Store, buyer: string): Promise<void> => {
    if ((await store.left()) === 0) return;
    await store.take();
    await store.post(buyer);
  };
  const story = { world, end, work: (shop: Shop) => buy(shop.disturbed, 'ann') };
  const wrong = await survived({ ...story, other: ({ store }) => buy(store, 'bob') });
  expect(wrong.map((each) => each.split(':')[0])).toContain('call 2, store.take, is held');
});

it('reports work whose second step is never repeated', async () => {
  const buy = async (store: Store): Promise<void> => {
    await store.sell('ann');
    await store.post('ann').catch(() => {});
  };
  const wrong = await survived({ world, end, work: (shop: Shop) => buy(shop.disturbed) });
  expect(wrong).toEqual([
    'call 2, store.post, fails: {"pieces":0,"posted":[]} instead of {"pieces":0,"posted":["ann"]}',
  ]);
});

it('reports work that does twice what was done when its answer was lost', async () => {
  const buy = async (store: Store): Promise<void> => store.take();
  const wrong = await survived({ world, end, work: (shop: Shop) => buy(shop.disturbed) });
  expect(wrong.map((each) => each.split(':')[0])).toEqual(['call 1, store.take, loses its answer']);
});

it('leaves out faults with a reason, and reports a reason that is not needed', async () => {
  const story = { world, end, work: (shop: Shop) => shop.disturbed.take() };
  const except = { 'store.take, loses its answer': 'a buyer cannot tell', 'store.take, fails': 'none' };
  expect(await survived({ ...story, except })).toEqual(['store.take, fails: needs no exception']);
});

it('reports a call that the work does not wait for, where its caller relies on that', async () => {
  const work = ({ disturbed }: Shop) => void disturbed.post('ann').catch(() => {});
  expect(await survived({ world, end, work, waits: true })).toContain('call 1, store.post, is not waited for');
});
