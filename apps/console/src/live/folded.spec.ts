import { expect, it } from 'vitest';
import type { Activity } from '../api/contract.js';
import { folded } from './folded.js';

let ids = 0;
const event = (): Activity => ({ id: String(++ids), at: ids, node: 'a', kind: 'event', channel: 'news' });
const underWay = { events: ['channel_occupied'], attempt: 1, status: null, error: null, nextAt: null };
const attempt = (url: string, outcome: { status?: number; error?: string }): Activity => ({
  ...event(),
  kind: 'webhook',
  webhook: { ...underWay, url, ...outcome },
});
const down = (url = 'https://down.example') => attempt(url, { status: 500 });
const shown = (activities: readonly Activity[]) =>
  folded(activities).map(({ id, earlier = 0 }) => [Number(id), earlier]);

it('shows the failed attempts of an endpoint as one line, the latest', () => {
  const activities = [down(), event(), down(), attempt('https://down.example', { error: 'ECONNREFUSED' }), event()];
  const [, first, , latest, last] = activities.map(({ id }) => Number(id));
  expect(shown(activities)).toEqual([
    [first, 0],
    [latest, 2],
    [last, 0],
  ]);
});

it('keeps those of each endpoint apart, and those before and after one that it accepted', () => {
  const taken = attempt('https://down.example', { status: 204 });
  const activities = [down(), down(), taken, down(), down('https://other.example'), down()];
  const [, before, accepted, , other, after] = activities.map(({ id }) => Number(id));
  expect(shown(activities)).toEqual([
    [before, 1],
    [accepted, 0],
    [other, 0],
    [after, 1],
  ]);
});

it('leaves an attempt that is under way, and everything else, as it is', () => {
  const activities = [event(), attempt('https://down.example', {}), attempt('https://down.example', {}), event()];
  expect(folded(activities)).toEqual(activities);
});
