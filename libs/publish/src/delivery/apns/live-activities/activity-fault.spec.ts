import { expect, it } from 'vitest';
import { apnsMessage, type ApnsMessage } from '../apns-message.js';
import { broadcastMessage } from './broadcast-message.js';

const facts = { instance: { id: 'i' }, publishId: 'pubid-1', publishedAt: 1_800_000_000_000 };
const activity = (aps: object) => apnsMessage({ ...facts, payload: { push_type: 'liveactivity', aps } });
const start = { event: 'start', alert: { title: 'A' }, 'attributes-type': 'Match', attributes: {} };

it.each(['alert', 'attributes-type', 'attributes'])(
  'refuses a start without %s, which devices would ignore',
  (name) => {
    const { [name as 'alert']: _, ...rest } = start;
    expect(activity(rest)).toEqual({ rejected: `\`aps.${name}\` is missing, which the event start needs` });
  },
);

it('refuses an update without its content, also as a broadcast, and an unknown event', () => {
  const rejected = '`aps.content-state` is missing, which the event update needs';
  expect(activity({ event: 'update' })).toEqual({ rejected });
  expect(broadcastMessage({ ...facts, payload: { aps: { event: 'update' } } })).toEqual({ rejected });
  expect(activity({ event: 'stop' })).toEqual({ rejected: '`aps.event` must be start, update or end' });
});

it('adds the timestamp by which devices order updates, unless it is given', () => {
  const sent = (aps: object) => JSON.parse((activity(aps) as ApnsMessage).body.toString()) as object;
  const update = { event: 'update', 'content-state': {} };
  expect(sent(update)).toEqual({ aps: { ...update, timestamp: 1_800_000_000 } });
  expect(sent({ ...update, timestamp: 5 })).toEqual({ aps: { ...update, timestamp: 5 } });
});
