import { describe, expect, it } from 'vitest';
import { EndpointHealths, mergedHealth } from './endpoint-health.js';

const minuteMs = 60_000;
const url = 'https://shop.example/hook';

const attempt = (error: string | null, status: number | null = error === null ? 200 : 500) => ({
  url,
  events: ['channel_occupied'],
  attempt: 1,
  status,
  error,
  nextAt: null,
});

describe("an endpoint's health", () => {
  it('is its last answer, and its failures of the last ten minutes', () => {
    const healths = new EndpointHealths();
    const began = 100 * minuteMs;
    for (let minute = 0; minute < 20; minute++)
      healths.tried('1', attempt('it answered 500'), began + minute * minuteMs);
    expect(healths.of('1', began + 19 * minuteMs)).toEqual([
      {
        owner: '1',
        url,
        at: began + 19 * minuteMs,
        status: 500,
        error: 'it answered 500',
        failingSince: began,
        failures: 10,
      },
    ]);
    expect(healths.of('1', began + 24 * minuteMs)[0]!.failures).toBe(5);
    expect(healths.of('2', began)).toEqual([]);
  });

  it('is good again after a webhook is accepted', () => {
    const healths = new EndpointHealths();
    healths.tried('1', attempt('it answered 500'), 1000);
    healths.tried('1', attempt(null), 2000);
    expect(healths.of('1', 2000)[0]).toMatchObject({ failingSince: null, failures: 1, error: null });
    healths.tried('1', attempt('timed out', null), 3000);
    expect(healths.of('1', 3000)[0]).toMatchObject({ failingSince: 3000, failures: 2, error: 'timed out' });
  });

  it('is kept for a bounded number of endpoints, those tried last', () => {
    const healths = new EndpointHealths();
    for (let n = 0; n < 1500; n++) healths.tried('1', { ...attempt(null), url: `${url}/${n}` }, n);
    const kept = healths.of(undefined, 1500);
    expect([kept.length, kept[0]!.url]).toEqual([1000, `${url}/500`]);
  });

  it('is that of the process which was answered last, with the failures of all', () => {
    const of = (at: number, error: string | null, failingSince: number | null, failures: number) => ({
      owner: '1',
      url,
      at,
      status: null,
      error,
      failingSince,
      failures,
    });
    expect(mergedHealth([of(5, 'timed out', 2, 3), of(4, 'timed out', 1, 1)])).toEqual([of(5, 'timed out', 1, 4)]);
    expect(mergedHealth([of(5, 'timed out', 2, 3), of(6, null, null, 0)])).toEqual([of(6, null, null, 3)]);
  });
});
