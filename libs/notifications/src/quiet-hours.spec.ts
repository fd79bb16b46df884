import { expect, it } from 'vitest';
import { endOfQuiet } from './quiet-hours.js';

const at = (time: string): number => Date.parse(time);
const shown = (time: number | undefined) => (time === undefined ? undefined : new Date(time).toISOString());

it.each([
  ['22:00', '07:00', 'UTC', '2026-03-01T21:59:59Z', undefined],
  ['22:00', '07:00', 'UTC', '2026-03-01T22:00:00Z', '2026-03-02T07:00:00.000Z'],
  ['22:00', '07:00', 'UTC', '2026-03-02T06:59:59Z', '2026-03-02T07:00:00.000Z'],
  ['22:00', '07:00', 'UTC', '2026-03-02T07:00:00Z', undefined],
  ['12:00', '13:30', 'UTC', '2026-03-02T12:10:30Z', '2026-03-02T13:30:00.000Z'],
  ['12:00', '12:00', 'UTC', '2026-03-02T12:00:00Z', undefined],
  ['22:00', '07:00', 'Europe/Berlin', '2026-07-01T20:30:00Z', '2026-07-02T05:00:00.000Z'],
  ['22:00', '07:00', 'Asia/Kolkata', '2026-07-01T17:00:00Z', '2026-07-02T01:30:00.000Z'],
  // Daylight saving time begins, and ends.
  ['22:00', '07:00', 'Europe/Berlin', '2026-03-28T22:00:00Z', '2026-03-29T05:00:00.000Z'],
  ['22:00', '07:00', 'Europe/Berlin', '2026-10-24T22:00:00Z', '2026-10-25T06:00:00.000Z'],
  // A time that does not exist in that night.
  ['22:00', '02:30', 'Europe/Berlin', '2026-03-28T22:00:00Z', '2026-03-29T01:30:00.000Z'],
])('quiet hours from %s to %s in %s, asked at %s, last until %s', (from, to, timeZone, time, end) => {
  expect(shown(endOfQuiet(at(time), { from, to, timeZone }))).toBe(end);
});
