import { Global, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { describe, expect, it } from 'vitest';
import { alias, required, suppliedOr, supply } from './aliases.js';
import { bind } from './bind.js';

/** A class as a minifier names it. */
const minified = (value: string) =>
  class r {
    readonly value = value;
  };

it('tells classes apart whose names are the same', async () => {
  const [Clock, Zone] = [minified('clock'), minified('zone')];
  const aliases = [Clock, Zone].map((each) => alias(each));
  @Module({ providers: [Clock, Zone, ...aliases], exports: aliases.map(({ provide }) => provide) })
  class Times {}
  @Module({ imports: [Times], providers: [...required({ missing: 'Times is missing', services: [Clock, Zone] })] })
  class Host {}
  const host = (await Test.createTestingModule({ imports: [Host] }).compile()).select(Host);
  expect([host.get(Clock).value, host.get(Zone).value]).toEqual(['clock', 'zone']);
});

describe('a module that exports its port to others', () => {
  abstract class Store {
    abstract readonly kept: string;
  }
  class MemoryStore extends Store {
    readonly kept = 'in memory';
  }
  class SharedStore extends Store {
    readonly kept = 'shared';
  }
  const own = [bind(Store, undefined, suppliedOr(Store, MemoryStore)), alias(Store)];
  @Module({ providers: own, exports: [Store, alias(Store).provide] })
  class Owner {}
  @Global()
  @Module({ providers: [SharedStore, supply(Store, SharedStore)], exports: [supply(Store, SharedStore).provide] })
  class Supplier {}

  it.each([
    ['its own, alone', [Owner], 'in memory'],
    ["another module's", [Owner, Supplier], 'shared'],
    ["another module's that is imported first", [Supplier, Owner], 'shared'],
  ])('has %s', async (_, imports, kept) => {
    const app = await Test.createTestingModule({ imports }).compile();
    expect(app.select(Owner).get(Store).kept).toBe(kept);
  });
});
