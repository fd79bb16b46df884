import { Injectable, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { bind, type Implementation } from './bind.js';

abstract class Clock {
  abstract now(): number;
}
@Injectable()
class Midnight extends Clock {
  now(): number {
    return 0;
  }
}
@Injectable()
class Zone {
  readonly offset = 7;
}
@Injectable()
class Zoned extends Clock {
  constructor(private readonly zone: Zone) {
    super();
  }
  now(): number {
    return this.zone.offset;
  }
}
const noon = { now: () => 12 };

const shapes: [string, Implementation<Clock> | undefined, number][] = [
  ['nothing, so the default', undefined, 0],
  ['a class', Zoned, 7],
  ['an object', noon, 12],
  ['useClass', { useClass: Zoned }, 7],
  ['useValue', { useValue: noon }, 12],
  ['useFactory', { useFactory: () => noon }, 12],
  ['useFactory with inject', { inject: [Zone], useFactory: (zone: Zone) => new Zoned(zone) }, 7],
  ['useFactory that takes its time', { useFactory: async () => noon }, 12],
  ['useFactory with what may be missing', { inject: [{ token: 'X', optional: true }], useFactory: () => noon }, 12],
  ['useExisting', { useExisting: Zoned }, 7],
  ['useExisting by a name', { useExisting: 'zoned' }, 7],
];

describe('bind', () => {
  it.each(shapes)('accepts %s', async (_, named, hour) => {
    @Module({
      providers: [Zone, Zoned, { provide: 'zoned', useExisting: Zoned }, bind(Clock, named, Midnight)],
    })
    class ClockModule {}
    const module = await Test.createTestingModule({ imports: [ClockModule] }).compile();
    expect(module.get<Clock>(Clock as never).now()).toBe(hour);
  });

  it('uses the very instance that useExisting names', async () => {
    const providers = [Zone, Zoned, bind(Clock, { useExisting: Zoned }, Midnight)];
    const module = await Test.createTestingModule({ providers }).compile();
    expect(module.get(Clock as never)).toBe(module.get(Zoned));
  });

  it('has types that reject other values', () => {
    class Stone {}
    expectTypeOf<typeof Stone>().not.toExtend<Implementation<Clock>>();
    expectTypeOf<{ useClass: typeof Stone }>().not.toExtend<Implementation<Clock>>();
    expectTypeOf<{ useValue: Stone }>().not.toExtend<Implementation<Clock>>();
    expectTypeOf<{ useFactory: () => Stone }>().not.toExtend<Implementation<Clock>>();
    expectTypeOf<{ useFactory: () => Promise<Stone> }>().not.toExtend<Implementation<Clock>>();
    expectTypeOf<{ useExisting: typeof Stone }>().not.toExtend<Implementation<Clock>>();
    expectTypeOf<{ useExisting: typeof Clock }>().toExtend<Implementation<Clock>>();
  });
});
