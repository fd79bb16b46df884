import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ChannelsLimits } from '../app/channels-limits.js';
import { Budget, budgetRates } from './budget.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const budgetWith = (limits: Partial<ChannelsLimits>): Budget =>
  new Budget(budgetRates({ ...new ChannelsLimits(), ...limits }));
const taken = (budget: Budget, kind: 'subscribes' | 'newChannels', times: number): number =>
  Array.from({ length: times }, () => budget.take(kind)).filter(Boolean).length;

it('lets a client that returns subscribe to all its channels at once, then at the rate', () => {
  const budget = budgetWith({ subscriptions: 1000, subscribesPerSecond: 50 });
  expect(taken(budget, 'subscribes', 2000)).toBe(1000);
  vi.advanceTimersByTime(1000);
  expect(taken(budget, 'subscribes', 100)).toBe(50);
  vi.advanceTimersByTime(3_600_000);
  expect(taken(budget, 'subscribes', 2000)).toBe(1000);
});

it('allows at least one second or minute of the rate at once', () => {
  const budget = budgetWith({ subscriptions: 3, subscribesPerSecond: 7, newChannelsPerMinute: 20 });
  expect([taken(budget, 'subscribes', 100), taken(budget, 'newChannels', 100)]).toEqual([7, 20]);
  vi.advanceTimersByTime(3000);
  expect(taken(budget, 'newChannels', 100)).toBe(1);
});

it('warns ten times when too much is refused, until it is enough', () => {
  const budget = budgetWith({ subscriptions: 5, refusalsPerSecond: 5 });
  const outcomes = Array.from({ length: 20 }, () => budget.takeRefusal());
  expect(outcomes).toEqual([...Array(5).fill('within'), ...Array(10).fill('warned'), ...Array(5).fill('exceeded')]);
});

it('stops warning a client that has slowed down', () => {
  const budget = budgetWith({ subscriptions: 5, refusalsPerSecond: 5 });
  for (let i = 0; i < 10; i++) budget.takeRefusal();
  vi.advanceTimersByTime(2000);
  expect(Array.from({ length: 5 }, () => budget.takeRefusal())).toEqual(Array(5).fill('within'));
});

it('has no bound where a limit is Infinity', () => {
  const unlimited = budgetWith({ subscribesPerSecond: Infinity });
  const manyChannels = budgetWith({ subscriptions: Infinity });
  expect(taken(unlimited, 'subscribes', 10_000)).toBe(10_000);
  expect(taken(manyChannels, 'newChannels', 10_000)).toBe(10_000);
});
