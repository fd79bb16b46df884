import { expect, expectTypeOf, it } from 'vitest';
import { defaultsOf, foldPorts, replaceable, type ReplaceablePort, shared } from './configurable-module.js';

abstract class Clock {
  abstract now(): number;
}
abstract class Zone {
  abstract offset(): number;
}
class Midnight extends Clock {
  now = () => 0;
}
class Utc extends Zone {
  offset = () => 0;
}

const features = [
  { ports: { clock: replaceable(Clock, Midnight) } },
  { part: 'without a port' },
  { ports: { zone: shared(Zone, Utc) } },
] as const;

it('folds the ports of features, with their types', () => {
  const ports = foldPorts(features);
  expect(Object.entries(ports).map(([name, { port }]) => [name, port])).toEqual([
    ['clock', Clock],
    ['zone', Zone],
  ]);
  expectTypeOf(ports.clock).toEqualTypeOf<ReplaceablePort<Clock>>();
  expectTypeOf(ports.zone).toEqualTypeOf<ReplaceablePort<Zone>>();
});

it('makes the defaults of ports, also of those that another module may supply', () => {
  expect(defaultsOf(foldPorts(features))).toEqual([
    [Clock, expect.any(Midnight)],
    [Zone, expect.any(Utc)],
  ]);
});
