import { expect, it } from 'vitest';
import type { Database } from '../../database/database.js';
import { SharedDatabase } from '../shared/shared-database.js';
import type { Membership } from './membership.js';
import { PostgresLeaseStore } from './postgres-lease.store.js';

const about = {} as Parameters<PostgresLeaseStore['renew']>[1];

/** The store of a process, on a database that answers each renewal with this state and epoch. */
function storeOn(answer: { readonly state: string; readonly epoch: string }) {
  const row = { alive: 2, age_ms: '0', is_next: false, has_dead: false, ...answer };
  const database = { keepOpen: () => async () => undefined, execute: async () => [row] } as unknown as Database;
  const shared = new SharedDatabase(database);
  const store = new PostgresLeaseStore(shared, { counted: () => undefined } as unknown as Membership);
  store.onReconnect(async () => undefined);
  return { shared, store };
}

it.each([
  ['the database is another one', { state: 'held', epoch: 'second' }],
  ['its lease has ended', { state: 'new', epoch: 'first' }],
])('has joins and leaves wait for the announcement when it learns that %s', async (_, answer) => {
  const { shared, store } = storeOn(answer);
  const { breaks } = store;
  await store.renew('node', about, 'first');
  let hasJoined = false;
  const joining = shared.insistOnAll(async () => (hasJoined = true));
  await Promise.resolve();
  expect(hasJoined).toBe(false);
  store.ledgerIsBack(0, breaks);
  await joining;
});

it.each([
  ['at its start', { state: 'new', epoch: 'first' }, ''],
  ['while nothing has happened', { state: 'held', epoch: 'first' }, 'first'],
])('lets joins and leaves pass %s', async (_, answer, knownEpoch) => {
  const { shared, store } = storeOn(answer);
  await store.renew('node', about, knownEpoch);
  let hasJoined = false;
  void shared.insistOnAll(async () => (hasJoined = true));
  await Promise.resolve();
  expect(hasJoined).toBe(true);
});

it('calls all who registered for the return of the database', async () => {
  const { shared } = storeOn({ state: 'held', epoch: 'first' });
  const called: string[] = [];
  for (const name of ['one', 'other'])
    shared.onReconnect(async () => {
      called.push(name);
      shared.ledgerIsBack(0, shared.breaks);
    });
  shared.ledgerIsUnknown();
  await shared.insistOnAll(async () => undefined);
  expect(called).toEqual(['one', 'other']);
});
