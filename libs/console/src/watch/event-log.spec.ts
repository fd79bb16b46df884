import { array, assert, property, record, string } from 'fast-check';
import { expect, it } from 'vitest';
import { EventLog, ofClient, passedHere, sentHere } from './event-log.js';

const event = (text: string, more: object = {}) => ({ appId: 'shop', channel: 'a', text, ...more });

it('gives back any text, id and position as they were', () =>
  assert(
    property(array(record({ text: string({ unit: 'grapheme' }), appId: string(), except: string() })), (all) => {
      const log = new EventLog(1024 * 1024);
      all.forEach((each, n) => log.add(event(each.text, each), `${n}`, sentHere, n, 1e12 + n));
      const read = [...log.backwards()].toReversed();
      expect(read.map(({ text, appId, except }) => ({ text, appId, except }))).toEqual(all);
      expect(read.map(({ order, at, position }) => [order, at, position])).toEqual(
        all.map((_, n) => [n, 1e12 + n, `${n}`]),
      );
    }),
  ));

it('keeps the latest events, and when the oldest of them was added', () => {
  const log = new EventLog(16 * 1000);
  for (let n = 0; n < 1000; n++) log.add(event('x'.repeat(100)), `${n}`, sentHere, n, n);
  const kept = [...log.backwards()];
  expect(kept.map(({ order }) => order)).toEqual(Array.from({ length: kept.length }, (_, n) => 999 - n));
  expect(kept.length).toBeGreaterThan(50);
  expect([log.hasDropped, log.oldestAt]).toEqual([true, kept.at(-1)!.at]);
});

it('finds events by their position, and marks what else is known about them', () => {
  const log = new EventLog(16 * 1000);
  log.add(event('1'), '10', passedHere, 1, 1);
  const place = log.add(event('2'), '11', passedHere, 2, 2);
  log.flag(place!, sentHere | ofClient);
  expect([...log.at('11')]).toMatchObject([{ text: '2', isPassed: true, isSent: true, isOfClient: true }]);
  expect([...log.at('10')]).toMatchObject([{ text: '1', isPassed: true, isSent: false, isOfClient: false }]);
  expect([...log.at('1')]).toEqual([]);
});

it('leaves out what is too large, and keeps nothing without room', () => {
  const log = new EventLog(16 * 1000);
  expect(log.add(event('x'.repeat(1000)), '1', sentHere, 1, 1)).toBeUndefined();
  expect(log.hasDropped).toBe(true);
  expect(new EventLog(0).add(event(''), '1', sentHere, 1, 1)).toBeUndefined();
});
