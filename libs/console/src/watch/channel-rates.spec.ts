import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ChannelRates } from './channel-rates.js';

let rates: ChannelRates;
beforeEach(() => {
  vi.useFakeTimers();
  rates = new ChannelRates();
  rates.onApplicationBootstrap();
});
afterEach(() => {
  rates.onApplicationShutdown();
  vi.useRealTimers();
});

it('counts the events of each channel of an app a second, and forgets them after 20 seconds', () => {
  for (let n = 0; n < 50; n++) rates.count('shop', 'orders');
  rates.count('shop', 'news');
  rates.count('blog', 'orders');
  vi.advanceTimersByTime(10_000);
  expect([...rates.of('shop')]).toEqual([
    ['orders', 5],
    ['news', 0.1],
  ]);
  vi.advanceTimersByTime(5000);
  expect(rates.of('shop').get('orders')).toBeCloseTo(50 / 15);
  vi.advanceTimersByTime(5000);
  expect(rates.of('shop').size).toBe(0);
});

it('counts a bounded number of channels', () => {
  for (let n = 0; n < 20_000; n++) rates.count('shop', `channel-${n}`);
  rates.count('shop', 'channel-1');
  expect(rates.of('shop').size).toBe(10_000);
  expect(rates.of('shop').get('channel-1')).toBe(2);
});
