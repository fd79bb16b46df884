import type { DescribeContract, Fresh } from '@rookery/testing';
import { isObject } from '#common';
import { describe, expect, it } from 'vitest';
import { promisesOf } from './broken-promises.js';

/** A port as a neighbour sees it: the functions of any port. */
type Functions = Readonly<Record<string, (...args: unknown[]) => unknown>>;

/** How tenants and processes are named in the calls of a port. */
export interface Naming {
  /** The arguments, by method, that name an app or instance. Those in objects have the names of {@link tenantFields}. */
  readonly tenants: Readonly<Record<string, readonly number[]>>;
  /** The same for processes. */
  readonly nodes?: Readonly<Record<string, readonly number[]>>;
  /** The methods that act for a process as a whole, whatever its apps: neighbours then have other processes. */
  readonly ofNodes?: readonly string[];
  /** Methods that answer something to iterate over, and no promise. */
  readonly iterated?: readonly string[];
  /** Methods that act for all tenants. Promises about these are left out. */
  readonly ofAll?: readonly string[];
}

const tenantFields = ['appId', 'instanceId', 'scope'];

/**
 * Two tenants with the same names. Each promise of a contract must hold for one tenant while a neighbour, whose channels,
 * users, keys and connections have the same names, does all that the promise's test does: between each two calls that
 * `positions` chooses, from the beginning to the end.
 *
 * @param counted an implementation in memory, on which the calls of each promise are counted
 */
export function describeBesideNeighbours<Port extends object>(
  describeContract: DescribeContract<Port>,
  { fresh, counted = fresh, naming }: { fresh: Fresh<Port>; counted?: Fresh<Port>; naming: Naming },
  positions: (calls: number) => readonly number[],
): void {
  const names = [...promisesOf(describeContract, fresh).keys()];
  describe('keeps for an app beside one with the same names:', () => {
    it.for(names)('%s', async (promise, { skip }) => {
      const test = (made: Fresh<Port>) => promisesOf(describeContract, made).get(promise)!();
      const called: string[] = [];
      await test(async (atEnd) => observed(await counted(atEnd), naming, (method) => void called.push(method)));
      const callsAny = (methods: readonly string[] = []): boolean => called.some((method) => methods.includes(method));
      skip(callsAny(naming.ofAll), 'It is about all tenants together');
      const hasOwnNodes = callsAny(naming.ofNodes);
      for (const position of new Set(positions(called.length))) {
        let neighbour: Promise<void> | undefined;
        // A promise that waits for something asks more often in one run than in another: then at the last call of that.
        for (let [at, calls] = [position, 0]; ; [at, calls] = [calls - 1, 0]) {
          await test(async (atEnd) => {
            const port = await fresh(atEnd);
            return observed(port, naming, () => {
              if (calls++ === at) neighbour = test(() => renamed(port, naming, hasOwnNodes));
              return neighbour;
            });
          });
          if (neighbour || calls === 0) break;
        }
        expect(neighbour, 'what the neighbour has done').toBeDefined();
      }
    });
  });
}

/** The port, with something before each call. */
function observed<Port extends object>(
  port: Port,
  naming: Naming,
  before: (method: string) => Promise<void> | void,
): Port {
  return calling(port, naming, async (method, args) => {
    await before(method);
    return (port as Functions)[method]!(...args);
  });
}

/** The port, for a tenant whose names are all the same, but for that of the tenant. */
function renamed<Port extends object>(port: Port, naming: Naming, hasOwnNodes: boolean): Port {
  const fields = hasOwnNodes ? [...tenantFields, 'nodeId'] : tenantFields;
  return calling(port, naming, async (method, args) => {
    const tenantsAt = naming.tenants[method] ?? [];
    const nodesAt = hasOwnNodes ? (naming.nodes?.[method] ?? []) : [];
    const theirs = args.map((arg, n) => {
      if (tenantsAt.includes(n)) return theirName(String(arg));
      return nodesAt.includes(n) ? theirNode(String(arg)) : withFields(arg, fields, theirName, theirNode);
    });
    return withFields(await (port as Functions)[method]!(...theirs), fields, ourName, ourNode);
  });
}

function calling<Port extends object>(
  port: Port,
  { iterated = [] }: Naming,
  call: (method: string, args: unknown[]) => Promise<unknown>,
): Port {
  // Of an empty object: the functions of a remote port are read-only, and a proxy of these must answer them as they are.
  return new Proxy({} as Port, {
    get(_, method: string) {
      const value = Reflect.get(port, method) as unknown;
      if (typeof value !== 'function') return value;
      if (!iterated.includes(method)) return (...args: unknown[]) => call(method, args);
      return async function* (...args: unknown[]) {
        yield* (await call(method, args)) as Iterable<unknown>;
      };
    },
  });
}

const letters = 'abcdefghijklmnopqrstuvwxyz';
const shifted = (name: string, by: number): string =>
  name.replaceAll(/[a-z]/g, (letter) => letters[(letters.indexOf(letter) + by) % letters.length]!);

/** Of the same length: `app` is `mbb`. */
const theirName = (name: string): string => shifted(name, 12);
const ourName = (name: string): string => shifted(name, letters.length - 12);
/** No process of the other tenant has such a name. */
const theirNode = (name: string): string => `${name}'`;
const ourNode = (name: string): string => name.replace(/'$/, '');

/** With other texts in these fields, however deep. */
function withFields(
  value: unknown,
  fields: readonly string[],
  nameOf: (name: string) => string,
  nodeOf: (name: string) => string,
): unknown {
  const changed = (field: string, each: unknown): unknown => {
    if (typeof each !== 'string' || !fields.includes(field)) return withFields(each, fields, nameOf, nodeOf);
    return field === 'nodeId' ? nodeOf(each) : nameOf(each);
  };
  if (Array.isArray(value)) return value.map((each) => withFields(each, fields, nameOf, nodeOf));
  if (!isObject(value) || !isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([field, each]) => [field, changed(field, each)]));
}

const isPlain = (value: object): boolean => [Object.prototype, null].includes(Object.getPrototypeOf(value) as null);
