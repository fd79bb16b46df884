import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attacks } from './rude/attacks/index.js';
import { Weather } from './weather.js';
import { faultsOf, figuresOf } from './weather-faults.js';

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

  it(`is noticed: ${name}`, { timeout: 120_000 }, async () => {
    const round = await weather.round(name);
    const faults = faultsOf(round, attacks[name]!);
    console.log(`${name} without a limit${figuresOf(round)}`, faults);
    expect(faults).toContain(fault);
  });
});
