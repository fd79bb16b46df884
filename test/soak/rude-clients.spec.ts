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
