import { ChannelsMetrics } from 'rookery/channels';
import { expect, it } from 'vitest';
import { Samples } from './samples.js';

const step = 10_000;
const start = 1_800_000_000_000;

it('answers what each app has caused lately: rates of a minute, and faults of ten', () => {
  const metrics = new ChannelsMetrics();
  const samples = new Samples(metrics);
  const [shop, blog] = [metrics.of('shop'), metrics.of('blog')];
  samples.take(start);
  shop.triggers += 600;
  shop.deliveries += 6000;
  shop.refusals += 3;
  samples.take(start + step);
  for (let n = 2; n <= 10; n++) samples.take(start + n * step);
  // The triggers are more than a minute old, the refusals less than ten.
  expect(samples.lately().get('shop')).toMatchObject({ triggersPerSecond: 0, messagesPerSecond: 0, errors: 3 });
  blog.triggers += 60;
  blog.deliveries += 120;
  blog.failedWebhooks += 2;
  blog.slowCloses += 1;
  samples.take(start + 11 * step);
  expect(samples.lately().get('blog')).toEqual({
    triggersPerSecond: 1,
    messagesPerSecond: 2,
    errors: 0,
    closedAsSlow: 1,
    webhooksFailed: 2,
  });
  for (let n = 12; n <= 62; n++) samples.take(start + n * step);
  expect(samples.lately().get('shop')).toMatchObject({ errors: 0 });
});
