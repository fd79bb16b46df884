import { beforeEach, expect, it } from 'vitest';
import type { DeviceAddress } from 'rookery/push-device';
import { PlatformFault } from '../delivery/push.gateway.js';
import { believedAnswers } from './circuit-breaker.js';
import { CircuitBreakers } from './circuit-breakers.js';

let breakers: CircuitBreakers;
beforeEach(() => {
  breakers = new CircuitBreakers();
});

const refuse = (bundleIdentifier?: string, times = believedAnswers) => {
  for (let answer = 0; answer < times; answer += 1)
    breakers.refused(new PlatformFault(`No ${bundleIdentifier ?? 'project'}`, bundleIdentifier));
};
const judge = (bundleIdentifier?: string) => breakers.judged({ bundleIdentifier } as DeviceAddress);

it('stops an app that is refused several times in a row, and no other', () => {
  refuse('com.a', believedAnswers - 1);
  expect([breakers.isOpen, breakers.faultOf('com.a')]).toEqual([false, undefined]);
  refuse('com.a', 1);
  expect([breakers.isOpen, breakers.isOfApps, breakers.faultOf('com.a')]).toEqual([true, true, 'No com.a']);
  expect([breakers.faultOf('com.b'), breakers.faultOf(undefined)]).toEqual([undefined, undefined]);
});

it('stops all apps for a fault of the platform', () => {
  refuse();
  expect([breakers.isOpen, breakers.isOfApps]).toEqual([true, false]);
  expect([breakers.faultOf('com.a'), breakers.faultOf(undefined)]).toEqual(['No project', 'No project']);
});

it('is closed by a success of the same app, and of the platform by any', () => {
  refuse('com.a');
  judge('com.b');
  judge();
  expect(breakers.faultOf('com.a')).toBe('No com.a');
  refuse();
  expect(breakers.isOfApps).toBe(false);
  judge('com.b');
  expect(breakers.faultOf('com.b')).toBeUndefined();
  judge('com.a');
  expect(breakers.isOpen).toBe(false);
});

it('keeps a bounded number of apps, since any client can name one', () => {
  refuse('com.first', believedAnswers - 1);
  for (let app = 0; app < 1000; app += 1) refuse(`com.${app}`, 1);
  refuse('com.first', 1);
  expect(breakers.faultOf('com.first')).toBeUndefined();
});
