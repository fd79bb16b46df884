import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ChannelsLimits } from '../app/channels-limits.js';
import type { ChannelsSettings } from '../channels.options.js';
import { ChannelsMetrics } from '../metrics.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import { Budgets } from './budgets.js';
import type { Connection } from './connection.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

class Client {
  account = undefined;
  network = undefined;
  isClosed = false;
  close = (): void => void (this.isClosed = true);
}

const budgetsWith = (limits: Partial<ChannelsLimits>): Budgets =>
  new Budgets({ limits: { ...new ChannelsLimits(), ...limits } } as ChannelsSettings, new ChannelsMetrics());
const refusal = ProtocolError.invalidChannel();
const refused = (budgets: Budgets, client: Client, times: number): string[] =>
  Array.from({ length: times }, () => {
    const answer = budgets.refuse(client as unknown as Connection, refusal);
    return answer === refusal ? 'within' : answer ? 'warned' : 'closed';
  });

it('warns ten times when too much is refused, until it is enough', () => {
  const client = new Client();
  const outcomes = refused(budgetsWith({ subscriptions: 5, refusalsPerSecond: 5 }), client, 20);
  expect(outcomes).toEqual([...Array(5).fill('within'), ...Array(10).fill('warned'), ...Array(5).fill('closed')]);
  expect(client.isClosed).toBe(true);
});

it('stops warning a client that has slowed down', () => {
  const budgets = budgetsWith({ subscriptions: 5, refusalsPerSecond: 5 });
  const client = new Client();
  refused(budgets, client, 10);
  vi.advanceTimersByTime(2000);
  expect(refused(budgets, client, 5)).toEqual(Array(5).fill('within'));
});

it('counts a network by its address, an IPv6 one also by its /48, and a private address not at all', () => {
  const budgets = budgetsWith({ connectionsPerAddress: 2 });
  expect(budgets.network('10.0.0.1')).toBeUndefined();
  expect(budgets.network('1.0.0.1')).toBe(budgets.network('1.0.0.1:443'));
  const networks = Array.from({ length: 30 }, (_, n) => budgets.network(`2a00:1450:1:${n}::1`)!);
  const opened = networks.flatMap((network) => [1, 2, 3].map(() => network.take('connections')));
  // Two for each /64, twenty for the /48, and twice as many while each /64 has few.
  expect(opened.filter((refusing) => !refusing)).toHaveLength(40);
  expect(budgets.network('2a00:1450:2::1')!.take('connections')).toBeUndefined();
});
