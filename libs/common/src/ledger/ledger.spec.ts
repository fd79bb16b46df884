import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Account, Ledger } from '#common';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const acts = { most: 10, perSecond: 5 };
const ledgerOf = (process: { acts?: typeof acts; bytes?: { most: number } } = {}) =>
  new Ledger<'connection' | 'network' | 'wide', 'acts' | 'bytes'>({
    connection: { acts },
    network: { acts: { most: 30, perSecond: 15 }, bytes: { most: 100 } },
    wide: { acts: { most: 50, perSecond: 25 } },
    process,
  });
const taken = (account: Account<'acts' | 'bytes'>, times: number): number =>
  Array.from({ length: times }, () => account.take('acts')).filter((refusing) => !refusing).length;

it('allows a burst, then the rate, and the burst again after a pause', () => {
  const connection = ledgerOf().open('connection');
  expect(taken(connection, 100)).toBe(10);
  vi.advanceTimersByTime(1000);
  expect(taken(connection, 100)).toBe(5);
  vi.advanceTimersByTime(3_600_000);
  expect(taken(connection, 100)).toBe(10);
});

it('limits a network by all its connections, also those that are gone, and a wide network by its networks', () => {
  const ledger = ledgerOf();
  const wide = ledger.of('wide', '/48');
  const fresh = (network: string) => ledger.open('connection', ledger.of('network', network, wide));
  for (const name of ['one', 'two']) for (let n = 0; n < 100; n++) taken(fresh(name), 10);
  expect([ledger.of('network', 'one').held('acts'), ledger.of('network', 'two').held('acts')]).toEqual([50, 25]);
  expect(wide.held('acts')).toBe(75);
  expect(fresh('two').take('acts')).toBe(wide);
});

it('lets small holders go on in a full network, up to twice its quota', () => {
  const ledger = ledgerOf();
  const network = ledger.of('network', 'one');
  const each = Array.from({ length: 10 }, () => taken(ledger.open('connection', network), 20));
  expect(each).toEqual([10, 10, 10, 5, 5, 5, 5, 5, 5, 0]);
});

it('counts what is refused nowhere', () => {
  const ledger = ledgerOf();
  const network = ledger.of('network', 'one');
  const connection = ledger.open('connection', network);
  taken(connection, 100);
  expect([connection.held('acts'), network.held('acts')]).toEqual([10, 10]);
});

it('keeps an amount until it is given back', () => {
  const network = ledgerOf().of('network', 'one');
  expect(network.take('bytes', 80)).toBeUndefined();
  vi.advanceTimersByTime(3_600_000);
  expect(network.take('bytes', 80)).toBe(network);
  network.add('bytes', -70);
  expect(network.take('bytes', 80)).toBeUndefined();
});

it('refuses in a full process those that hold most, never the newest or the smallest', () => {
  const ledger = ledgerOf({ bytes: { most: 200 } });
  const [large, middle, small] = ['large', 'middle', 'small'].map((name) => ledger.of('network', name));
  large!.add('bytes', 100);
  middle!.add('bytes', 80);
  small!.add('bytes', 20);
  expect(middle!.take('bytes', 10)).toBe(ledger.process);
  expect(small!.take('bytes', 10)).toBeUndefined();
  expect(ledger.of('network', 'new').take('bytes', 40)).toBeUndefined();
  expect(ledger.largest('network', 'bytes')).toBe(large);
  large!.add('bytes', -90);
  expect(ledger.largest('network', 'bytes')).toBe(middle);
});

it('forgets accounts once they are empty, and no others', () => {
  const ledger = ledgerOf();
  const debtor = ledger.of('network', 'debtor');
  taken(debtor, 30);
  const first = ledger.of('network', '0');
  for (let n = 0; n < 2000; n++) ledger.of('network', `${n}`);
  expect(ledger.of('network', 'debtor')).toBe(debtor);
  expect(ledger.of('network', '0')).not.toBe(first);
  vi.advanceTimersByTime(10_000);
  for (let n = 0; n < 4000; n++) ledger.of('network', `later ${n}`);
  expect(ledger.of('network', 'debtor')).not.toBe(debtor);
});

it('has no bound where a limit is Infinity', () => {
  const ledger = new Ledger<'connection', 'acts' | 'bytes'>({
    connection: { acts: { most: 1, perSecond: Infinity }, bytes: { most: Infinity } },
    process: {},
  });
  expect(taken(ledger.open('connection'), 1000)).toBe(1000);
  expect(ledger.open('connection').take('bytes', 1e15)).toBeUndefined();
});
