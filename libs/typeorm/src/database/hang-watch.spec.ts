import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { HangWatch, type Reaction } from './hang-watch.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A watch whose probes react as told, after a second if they are silent. */
function watched() {
  const seen = { reaction: 'answers' as Reaction, probes: 0, givenUp: [] as string[] };
  const watch = new HangWatch(async () => {
    seen.probes++;
    if (seen.reaction === 'is silent') await new Promise((resolve) => setTimeout(resolve, 1000));
    return seen.reaction;
  });
  const begin = (name: string) => watch.begin(({ message }) => seen.givenUp.push(`${name}: ${message}`));
  return { seen, watch, begin };
}

it('probes nothing while work is done in time', async () => {
  const { seen, watch, begin } = watched();
  for (let n = 0; n < 20; n++) {
    const work = begin('quick');
    await vi.advanceTimersByTimeAsync(500);
    watch.end(work);
  }
  await vi.advanceTimersByTimeAsync(500);
  expect(seen).toMatchObject({ probes: 0, givenUp: [] });
  expect(vi.getTimerCount(), 'without work, no timer runs').toBe(0);
});

it('lets a slow statement go on while the database answers, for 30 seconds', async () => {
  const { seen, begin } = watched();
  begin('slow');
  await vi.advanceTimersByTimeAsync(29_500);
  expect(seen.probes).toBeGreaterThan(0);
  expect(seen.givenUp).toEqual([]);
  await vi.advanceTimersByTimeAsync(1000);
  expect(seen.givenUp).toEqual(['slow: it has not answered for 30 s']);
});

it('gives up all work of a silent database within two seconds and a bit, and refuses new work until it answers', async () => {
  const { seen, begin } = watched();
  seen.reaction = 'is silent';
  begin('first');
  await vi.advanceTimersByTimeAsync(900);
  begin('second');
  await vi.advanceTimersByTimeAsync(1600);
  expect(seen.givenUp).toEqual(['first: it has not answered for 2 s', 'second: it has not answered for 2 s']);
  expect(() => begin('third')).toThrow('it has not answered for 2 s');
  seen.reaction = 'answers';
  await vi.advanceTimersByTimeAsync(2000);
  begin('fourth');
  expect(seen.givenUp).toHaveLength(2);
});

it('gives up only slow work where the server of the connections is gone', async () => {
  const { seen, begin } = watched();
  seen.reaction = 'refuses';
  begin('old');
  await vi.advanceTimersByTimeAsync(900);
  begin('new');
  await vi.advanceTimersByTimeAsync(300);
  expect(seen.givenUp).toEqual(['old: it has not answered for 1 s']);
});

it('blames no database for the time in which this process was stopped', async () => {
  const { seen, watch, begin } = watched();
  seen.reaction = 'is silent';
  const work = begin('answered meanwhile');
  await vi.advanceTimersByTimeAsync(250);
  vi.setSystemTime(Date.now() + 40_000);
  watch.end(work);
  await vi.advanceTimersByTimeAsync(2000);
  expect(seen).toMatchObject({ probes: 0, givenUp: [] });
});
