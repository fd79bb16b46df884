import { MemoryRequestRates, type RequestLimit, RequestRates } from 'rookery/internal/common';
import { expect, it } from 'vitest';
import { ConsoleError } from '../console.errors.js';
import { SignInRate } from './sign-in-rate.js';

/** Asynchronous and shared by all processes, like Redis or a database. */
class RemoteRates extends RequestRates {
  private readonly near = new MemoryRequestRates();
  async take(limits: readonly RequestLimit[]): Promise<number> {
    await new Promise((resolve) => void setImmediate(resolve));
    return this.near.take(limits);
  }
  async giveBack(limits: readonly RequestLimit[]): Promise<void> {
    await new Promise((resolve) => void setImmediate(resolve));
    this.near.giveBack(limits);
  }
}

const password = 'right';
const address = '203.0.113.9';

/** The result of a guess, and the total number of password comparisons. */
function guesser(rates: RequestRates) {
  const rate = new SignInRate(rates);
  const compared: string[] = [];
  const isRight = (given: string) => () => {
    compared.push(given);
    return given === password;
  };
  const guess = async (given: string, from = address): Promise<boolean | number> => {
    try {
      return await rate.isRight(from, given, isRight(given));
    } catch (error) {
      return (error as ConsoleError).getStatus();
    }
  };
  return { guess, compared };
}

const wrong = (count: number): string[] => Array.from({ length: count }, (_, n) => `wrong ${n}`);

it.each([
  ['in memory', new MemoryRequestRates()],
  ['far away', new RemoteRates()],
])('checks five of hundreds of concurrent guesses, counted %s', async (_where, rates) => {
  const { guess, compared } = guesser(rates);
  const answers = await Promise.all([...wrong(699), password].map((given) => guess(given)));
  expect(compared).toHaveLength(5);
  expect(answers.at(-1)).toBe(429);
  expect(answers.filter((answer) => answer === false)).toHaveLength(5);
  expect(await guess(password)).toBe(429);
  expect(await guess(password, '203.0.113.10')).toBe(true);
});

it('checks five guesses over all processes', async () => {
  const rates = new RemoteRates();
  const processes = Array.from({ length: 8 }, () => guesser(rates));
  await Promise.all(wrong(80).map((given, n) => processes[n % 8]!.guess(given)));
  expect(processes.flatMap(({ compared }) => compared)).toHaveLength(5);
});

it('never refuses the correct password of a script with many requests at many processes', async () => {
  const rates = new RemoteRates();
  const processes = Array.from({ length: 16 }, () => guesser(rates));
  const answers = await Promise.all(Array.from({ length: 160 }, (_, n) => processes[n % 16]!.guess(password)));
  expect(new Set(answers)).toEqual(new Set([true]));
  // None of them was counted.
  await Promise.all(wrong(4).map((given) => processes[0]!.guess(given)));
  expect(await processes[1]!.guess(password)).toBe(true);
});

it('counts guesses from an address whose last password was right', async () => {
  const { guess, compared } = guesser(new RemoteRates());
  expect(await guess(password)).toBe(true);
  compared.length = 0;
  const answers = await Promise.all([...wrong(20), password].map((given) => guess(given)));
  expect(answers.at(-1)).toBe(429);
  // The first of them, against which the address had a credit, and five.
  expect(compared.length).toBeLessThanOrEqual(6);
});

it('compares fifty wrong passwords of a /48, whichever of its networks they come from', async () => {
  const { guess, compared } = guesser(new MemoryRequestRates());
  await Promise.all(wrong(200).map((each, n) => guess(each, `2a00:1450:1:${n.toString(16)}::1`)));
  expect(compared.length).toBeGreaterThanOrEqual(50);
  expect(compared.length).toBeLessThan(60);
  expect(await guess('right', '2a00:1450:2::1')).toBe(true);
});
