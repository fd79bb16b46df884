import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allAttacks, attacks } from './rude/attacks/index.js';
import { type Round, Weather } from './weather.js';
import { faultsOf, figuresOf } from './weather-faults.js';

const warmUpMs = 3000;
/** A weakness of the server delays users in each round, other work of the machine only in some. */
const maxRounds = 3;

describe('Real users', () => {
  let weather: Weather;
  beforeAll(async () => {
    weather = await Weather.start();
    await sleep(warmUpMs);
  }, 180_000);
  afterAll(() => weather?.stop());

  it.each(Object.entries(attacks))('hardly notice an attack: %s', { timeout: 120_000 }, async (name, attack) => {
    let round: Round;
    let faults: readonly string[] = [];
    for (let n = 0; n === 0 || (faults.length > 0 && n < maxRounds); n++) {
      round = await weather.round(name);
      faults = faultsOf(round, attack);
      console.log(`${name}${figuresOf(round)}`, faults);
      expect(weather.users.wrong.slice(0, 10)).toEqual([]);
    }
    expect(faults).toEqual([]);
  });

  it('have missed nothing in the end', { timeout: 60_000 }, async () => {
    await weather.users.stop();
    expect(weather.users.wrong.slice(0, 10)).toEqual([]);
  });
});

const oneAddress = { connectionsPerAddress: 500, newConnectionsPerAddress: 500 };

describe.each([
  ['hardly notice', {}, 'no fault'],
  ['notice, if networks take no turns,', { ONE_QUEUE: 'true' }, 'the median of states was'],
] as const)('Users who wait for a state', (how, environment, expected) => {
  let weather: Weather;
  beforeAll(async () => {
    weather = await Weather.start(oneAddress, environment);
    await sleep(warmUpMs);
  }, 180_000);
  afterAll(() => weather?.stop());

  it(`${how} 500 connections of one address that read states`, { timeout: 120_000 }, async () => {
    const rounds: string[] = [];
    const isAsExpected = (): boolean => rounds.at(-1)?.includes(expected) === true;
    while (rounds.length < maxRounds && !isAsExpected()) {
      const round = await weather.round('read states');
      const faults = faultsOf(round, allAttacks['read states']!);
      console.log(`read states${figuresOf(round)}`, faults);
      rounds.push(faults.join() || 'no fault');
    }
    expect(rounds.at(-1)).toContain(expected);
  });
});

const unlimited = 1e12;

describe.each([
  ['keep answers', { keptBytes: unlimited, processKeptBytes: unlimited }, 'has not met 429'],
  ['begin bodies', { processInputBytes: unlimited }, 'has not met 503'],
  ['begin messages', { messageMs: unlimited }, 'has not met messageMs'],
  ['share a user', { clientEventBytesPerUser: unlimited }, 'has not met clientEventBytesPerUser'],
] as const)('Without its limit, an attack', (name, limits, fault) => {
  let weather: Weather;
  beforeAll(async () => void (weather = await Weather.start(limits)), 180_000);
  afterAll(() => weather?.stop());

  it(`is noticed: ${name}`, { timeout: 60_000 }, async () => {
    const round = await weather.round(name);
    const faults = faultsOf(round, attacks[name]!);
    console.log(`${name} without a limit${figuresOf(round)}`, faults);
    expect(faults).toContain(fault);
  });
});
