import { expect, it } from 'vitest';
import { type KeptHealth, MemoryConsoleStore } from 'rookery/internal/common';
import { EndpointHealths } from './endpoint-health.js';
import { KeptHealths } from './kept-healths.js';

class Store extends MemoryConsoleStore {
  override readonly keepsHealths = true;
  readonly kept: string[] = [];
  isAway = false;

  override async keepHealth({ url }: KeptHealth): Promise<void> {
    if (this.isAway) throw new Error('away');
    this.kept.push(url);
  }
}

it('stores what the store could not take once it is back, and nothing twice', async () => {
  const [healths, store] = [new EndpointHealths(), new Store()];
  const kept = new KeptHealths(healths, store);
  for (const url of ['https://a.example', 'https://b.example'])
    healths.tried('1', { id: '1', url, events: [], attempt: 1, status: 200, error: null, nextAt: null }, 1000);
  store.isAway = true;
  await kept.keep();
  store.isAway = false;
  await kept.keep();
  await kept.keep();
  expect(store.kept).toEqual(['https://a.example', 'https://b.example']);
});
