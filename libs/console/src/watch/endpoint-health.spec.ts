import { describe, expect, it } from 'vitest';
import { EndpointHealths, mergedHealth } from './endpoint-health.js';

const minuteMs = 60_000;
const url = 'https://shop.example/hook';

const attempt = (error: string | null, status: number | null = error === null ? 200 : 500) => ({
  id: 'one',
  url,
  events: ['channel_occupied'],
  attempt: 1,
  status,
  error,
  nextAt: null,
});

describe("an endpoint's health", () => {
  it('is that of before the restart, until it is tried', () => {
    const healths = new EndpointHealths();
    const stored = { owner: '1', url, at: 2000, status: 500, error: 'it answered 500', failingSince: 1000 };
    healths.restore(stored);
    expect(healths.of('1', 3000)).toEqual([{ ...stored, acceptedAt: null, failures: 0, undeliveredSince: null }]);
    expect(healths.unstored(9)).toEqual([]);
    healths.tried('1', attempt('timed out', null), 4000);
    expect(healths.of('1', 5000)).toMatchObject([{ at: 4000, failingSince: 1000, error: 'timed out' }]);
    const [last] = healths.unstored(9);
    expect(last).toMatchObject({ at: 4000, failingSince: 1000 });
    healths.stored({ ...last!, at: 3000 });
    expect(healths.unstored(9)).toEqual([last]);
    healths.stored(last!);
    expect(healths.unstored(9)).toEqual([]);
    healths.tried('1', attempt(null), 6000);
    expect(healths.of('1', 7000)).toMatchObject([{ at: 6000, failingSince: null }]);
  });

  it('is restored after it was tried', () => {
    const [failing, good] = [new EndpointHealths(), new EndpointHealths()];
    const stored = { owner: '1', url, at: 2000, status: 500, error: 'it answered 500', failingSince: 1000 };
    failing.tried('1', attempt('timed out', null), 4000);
    good.tried('1', attempt(null), 4000);
    for (const healths of [failing, good]) healths.restore(stored);
    expect(failing.of('1', 5000)).toMatchObject([{ at: 4000, failingSince: 1000, error: 'timed out' }]);
    expect(good.of('1', 5000)).toMatchObject([{ at: 4000, failingSince: null, error: null }]);
  });

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
        acceptedAt: null,
        failures: 10,
        undeliveredSince: null,
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

  it('has the oldest webhook that waits for another attempt', () => {
    const healths = new EndpointHealths();
    const failed = (id: string, createdAt: number, nextAt: number | null) =>
      healths.tried('1', { ...attempt('timed out', null), id, createdAt, nextAt }, 5000);
    failed('second', 2000, 9000);
    failed('first', 1000, 9000);
    expect(healths.of('1', 5000)[0]).toMatchObject({ undeliveredSince: 1000 });
    failed('first', 1000, null);
    expect(healths.of('1', 5000)[0]).toMatchObject({ undeliveredSince: 2000 });
    // Another process has tried it meanwhile.
    expect(healths.of('1', 9000 + 2 * minuteMs)[0]).toMatchObject({ undeliveredSince: null });
    healths.tried('1', { ...attempt(null), id: 'second', createdAt: 2000 }, 9000);
    expect(healths.of('1', 9000)[0]).toMatchObject({ undeliveredSince: null });
  });

  it('has failed for as long as its webhook is old, where an earlier process tried that first', () => {
    const healths = new EndpointHealths();
    healths.tried('1', { ...attempt('timed out', null), attempt: 3, createdAt: 1000, nextAt: 9000 }, 8000);
    expect(healths.of('1', 8000)[0]).toMatchObject({ failingSince: 1000, undeliveredSince: 1000 });
  });

  it('is kept for a bounded number of endpoints, those tried last', () => {
    const healths = new EndpointHealths();
    for (let n = 0; n < 1500; n++) healths.tried('1', { ...attempt(null), url: `${url}/${n}` }, n);
    const kept = healths.of(undefined, 1500);
    expect([kept.length, kept[0]!.url]).toEqual([1000, `${url}/500`]);
  });

  it('is that of the process which was answered last, with the failures of all', () => {
    const of = (
      at: number,
      error: string | null,
      failingSince: number | null,
      failures: number,
      undeliveredSince: number | null = null,
      acceptedAt: number | null = error === null ? at : null,
    ) => ({
      owner: '1',
      url,
      at,
      status: null,
      error,
      failingSince,
      acceptedAt,
      failures,
      undeliveredSince,
    });
    expect(mergedHealth([of(5, 'timed out', 2, 3, 2), of(4, 'timed out', 1, 1)])).toEqual([
      of(5, 'timed out', 1, 4, 2),
    ]);
    expect(mergedHealth([of(5, 'timed out', 2, 3), of(6, null, null, 0)])).toEqual([of(6, null, null, 3)]);
  });

  it('fails since it was accepted last by any process', () => {
    const [first, second, third] = [new EndpointHealths(), new EndpointHealths(), new EndpointHealths()];
    first.tried('1', attempt('it answered 500'), 1000);
    second.tried('1', attempt(null), 2000);
    third.tried('1', attempt(null), 2500);
    first.tried('1', attempt('it answered 500'), 3000);
    const failing = () => mergedHealth([first, second, third].flatMap((each) => each.of('1', 5000)))[0];
    // What failed first after 2500 is not known: nothing before.
    expect(failing()).toMatchObject({ at: 3000, failingSince: 2500, failures: 2 });
    second.tried('1', attempt('it answered 500'), 4000);
    expect(failing()).toMatchObject({ at: 4000, failingSince: 4000, acceptedAt: 2500, failures: 3 });
  });

  it('has not failed since before its last webhook was accepted, though an older one is retried', () => {
    const healths = new EndpointHealths();
    healths.tried('1', attempt(null), 2000);
    healths.tried('1', { ...attempt('timed out', null), attempt: 3, createdAt: 1000, nextAt: 9000 }, 3000);
    expect(healths.of('1', 3000)[0]).toMatchObject({ failingSince: 3000 });
  });
});
