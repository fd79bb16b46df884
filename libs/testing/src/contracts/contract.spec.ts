import { describe, expect, it } from 'vitest';
import { contract } from './contract.js';
import { type Runner, runnerOf } from './runner.js';

const describeEven = contract<{ value: number }>('Even', [
  {
    promise: 'is even',
    async test(port) {
      if (port.value % 2 !== 0) throw new Error('it is odd');
    },
  },
  {
    promise: 'is fresh',
    async test(port) {
      port.value += 1;
      if (port.value !== 3) throw new Error('somebody had it before');
    },
  },
]);

/** Collects tests in place of running them. */
function collecting() {
  const tests = new Map<string, () => Promise<void>>();
  const runner: Runner = {
    describe: (name, body) => {
      expect(name).toBe('keeps the contract of Even:');
      body();
    },
    it: (name, test) => tests.set(name, test),
  };
  return { tests, runner };
}

describe('a contract', () => {
  it('makes a test of each promise, with an implementation of its own that it closes afterwards', async () => {
    const { tests, runner } = collecting();
    const said: string[] = [];
    describeEven((atEnd) => {
      said.push('made');
      atEnd(() => void said.push('closed'));
      atEnd(() => void said.push('closed first'));
      return { value: 2 };
    }, runner);
    expect([...tests.keys()]).toEqual(['is even', 'is fresh']);
    for (const test of tests.values()) await test();
    expect(said).toEqual(['made', 'closed first', 'closed', 'made', 'closed first', 'closed']);
  });

  it('fails for a broken implementation, and still closes it', async () => {
    const { tests, runner } = collecting();
    let isClosed = false;
    describeEven((atEnd) => {
      atEnd(() => void (isClosed = true));
      return { value: 1 };
    }, runner);
    await expect(tests.get('is even')!()).rejects.toThrow('it is odd');
    expect(isClosed).toBe(true);
  });

  it('says what to pass if the test runner has no globals', () => {
    expect(() => runnerOf({})).toThrow('describeBroker(() => new MyBroker(), { describe, it })');
  });
});
