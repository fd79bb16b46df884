import { Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { expect, it } from 'vitest';
import { alias, required } from './aliases.js';

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
