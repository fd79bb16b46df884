import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Ledger } from '#common';
import { ChannelsLimits } from '../app/channels-limits.js';
import { type Cause, type ClientAccount, clientQuotas } from './client-quotas.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ledgerWith = (limits: Partial<ChannelsLimits>) =>
  new Ledger(clientQuotas({ ...new ChannelsLimits(), ...limits }));
const connectionWith = (limits: Partial<ChannelsLimits>): ClientAccount => ledgerWith(limits).open('connection');
const taken = (account: ClientAccount, cause: Cause, times: number): number =>
  Array.from({ length: times }, () => account.take(cause)).filter((refusing) => !refusing).length;

it('lets a client that returns subscribe to all its channels at once, then at the rate', () => {
  const account = connectionWith({ subscriptions: 1000, subscribesPerSecond: 50 });
  expect(taken(account, 'subscribes', 2000)).toBe(1000);
  vi.advanceTimersByTime(1000);
  expect(taken(account, 'subscribes', 100)).toBe(50);
  vi.advanceTimersByTime(3_600_000);
  expect(taken(account, 'subscribes', 2000)).toBe(1000);
});

it('allows at least one second or minute of the rate at once', () => {
  const account = connectionWith({ subscriptions: 3, subscribesPerSecond: 7, newChannelsPerMinute: 20 });
  expect([taken(account, 'subscribes', 100), taken(account, 'newChannels', 100)]).toEqual([7, 20]);
  vi.advanceTimersByTime(3000);
  expect(taken(account, 'newChannels', 100)).toBe(1);
});

it('has no bound where a limit is Infinity', () => {
  const unlimited = connectionWith({ subscribesPerSecond: Infinity });
  const manyChannels = connectionWith({ subscriptions: Infinity });
  expect(taken(unlimited, 'subscribes', 10_000)).toBe(10_000);
  expect(taken(manyChannels, 'newChannels', 10_000)).toBe(10_000);
});

it('lets an office behind one address return with 100 channels on each of 500 pages', () => {
  const ledger = ledgerWith({});
  const office = ledger.of('network', '1.0.0.1');
  for (let page = 0; page < 500; page++) {
    expect(office.take('newConnections')).toBeUndefined();
    const connection = ledger.open('connection', office);
    expect([taken(connection, 'subscribes', 100), taken(connection, 'newChannels', 100)]).toEqual([100, 100]);
  }
});

it('does not give a network a fresh budget with each connection', () => {
  const ledger = ledgerWith({});
  const network = ledger.of('network', '1.0.0.1');
  let subscribes = 0;
  for (let tick = 0; tick < 40 * 60; tick++) {
    vi.advanceTimersByTime(25);
    if (!network.take('newConnections')) subscribes += taken(ledger.open('connection', network), 'subscribes', 1000);
  }
  // At once 50,000, and 2,500 a second; 2,400,000 if each of the connections had a budget of its own.
  expect(subscribes).toBeLessThan(50_000 * 2 + 60 * 2500);
});
