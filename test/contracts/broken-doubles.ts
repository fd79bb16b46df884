import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { DescribeContract } from '@rookery/testing';
import { describeNode } from '../support/services.js';
import { brokenPromises } from './broken-promises.js';

/** The methods that a double gets wrong. */
type Wrong<Port, Right extends Port> = Partial<Port> & Partial<Omit<Right, keyof Port>>;

/** A double, by what it does. One with state is a function, called for each test. */
interface Double<Port, Right extends Port> {
  readonly name: string;
  readonly wrong: Wrong<Port, Right> | (() => Wrong<Port, Right>);
}
type MakeDouble<Port, Right extends Port> = (name: string, wrong: Double<Port, Right>['wrong']) => Double<Port, Right>;

/** Promises, each with a double that breaks it, or several. The name of a double stands for it under further promises. */
type Table<Port, Right extends Port> = Readonly<
  Record<string, string | Double<Port, Right> | readonly (string | Double<Port, Right>)[]>
>;

/**
 * The contract of a port accepts the right implementation, and rejects each double, which is right but for one mistake.
 *
 * @param tableOf makes the doubles; what they get right they call of the right implementation
 */
export function describeBrokenDoubles<Port extends object, Right extends Port>(
  port: string,
  describeContract: DescribeContract<Port>,
  right: () => Right,
  tableOf: (right: Right, double: MakeDouble<Port, Right>) => Table<Port, Right>,
): void {
  const doublesOf = (of: Right) => Object.entries(tableOf(of, (name, wrong) => ({ name, wrong })));
  const rows = doublesOf(right()).flatMap(([promise, doubles]) =>
    [doubles].flat().map((each) => [typeof each === 'string' ? each : each.name, promise] as const),
  );
  describeNode(`the contract of ${port}`, () => {
    // What is waited for in vain is over at once.
    beforeEach(() => void vi.useFakeTimers().setTimerTickMode('nextTimerAsync'));
    afterEach(() => void vi.useRealTimers());

    it('accepts the implementation that the broken ones are built on', async () => {
      expect(await brokenPromises(describeContract, () => doubleOf(right(), () => ({})))).toEqual([]);
    });

    it.each(rows)('rejects an implementation that %s: %s', async (name, promise) => {
      const fresh = () => doubleOf(right(), (of) => wrongOf(doublesOf(of), name));
      expect(await brokenPromises(describeContract, fresh, promise)).toEqual([promise]);
    });
  });
}

/** The same with other values in these fields, a frequent mistake. */
export const eachWith = <T>(all: readonly T[], wrong: Partial<T>): readonly T[] =>
  all.map((one) => ({ ...one, ...wrong }));

function wrongOf<Port, Right extends Port>(
  table: [string, Table<Port, Right>[string]][],
  name: string,
): Wrong<Port, Right> {
  const doubles = table.flatMap(([, each]) => each);
  const double = doubles.find((each) => typeof each !== 'string' && each.name === name) as
    Double<Port, Right> | undefined;
  if (!double) throw new Error(`There is no double that ${name}`);
  return typeof double.wrong === 'function' ? double.wrong() : double.wrong;
}

/** An implementation with wrong methods. These call it as a class calls `super`: what it calls of itself is wrong, too. */
export function doubleOf<Port extends object, Right extends Port>(
  double: Right,
  wrong: (right: Right) => Wrong<Port, Right>,
): Right {
  let originals: object = {};
  const right = new Proxy(double, {
    get(_, name) {
      const value: unknown = Reflect.get(name in originals ? originals : double, name);
      return typeof value === 'function' ? value.bind(double) : value;
    },
  });
  const methods = wrong(right);
  originals = Object.fromEntries(Object.keys(methods).map((name) => [name, Reflect.get(double, name)]));
  return Object.assign(double, methods);
}
