import { expect, it } from 'vitest';
import { SilentOrigins } from './silent-origins.js';

const service = 'https://push.example';

it('admits all sends while answers arrive', () => {
  const origins = new SilentOrigins();
  for (let now = 0; now < 60_000; now += 1000) {
    for (let count = 0; count < 100; count += 1) expect(origins.begin(service, now)).toBe(0);
    for (let count = 0; count < 99; count += 1) origins.answered(service, now);
  }
});

it('admits no more sends after three seconds without any answer', () => {
  const origins = new SilentOrigins();
  expect(origins.begin(service, 0)).toBe(0);
  expect(origins.begin(service, 3000)).toBe(0);
  expect(origins.begin(service, 3001)).toBeGreaterThan(0);
  expect(origins.begin('https://other.example', 3001)).toBe(0);
  origins.answered(service, 3500);
  expect(origins.begin(service, 3501)).toBe(0);
});

it('pauses an origin that did not answer, longer after each failure in a row, up to a minute', () => {
  const origins = new SilentOrigins();
  const rests: number[] = [];
  for (let now = 0; rests.length < 8; now += rests.at(-1) ?? 0) {
    expect(origins.begin(service, now)).toBe(0);
    origins.silent(service, now, (now += 10));
    rests.push(origins.begin(service, now));
  }
  expect(rests).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
});

it('then tries one send, and admits all again once it is answered', () => {
  const origins = new SilentOrigins();
  origins.begin(service, 0);
  origins.silent(service, 0, 10);
  expect(origins.begin(service, 1010)).toBe(0);
  expect(origins.begin(service, 1011)).toBeGreaterThan(0);
  origins.answered(service, 1100);
  for (let count = 0; count < 100; count += 1) expect(origins.begin(service, 1101)).toBe(0);
});

it('admits all again once one is answered, though others are not yet', () => {
  const origins = new SilentOrigins();
  for (let count = 0; count < 3; count += 1) origins.begin(service, 0);
  origins.silent(service, 0, 10);
  origins.answered(service, 1000);
  for (let count = 0; count < 100; count += 1) expect(origins.begin(service, 1010)).toBe(0);
});

it('counts sends that time out together as one failure, and one among answers as none', () => {
  const origins = new SilentOrigins();
  for (let count = 0; count < 10; count += 1) origins.begin(service, 0);
  for (let count = 0; count < 10; count += 1) origins.silent(service, 0, 10 + count);
  expect(origins.begin(service, 20)).toBe(990);

  const lively = new SilentOrigins();
  for (let count = 0; count < 3; count += 1) lively.begin(service, 0);
  lively.answered(service, 5);
  lively.silent(service, 0, 10_000);
  expect(lively.begin(service, 2000)).toBe(0);
});

it('keeps at most 10,000 origins', () => {
  const origins = new SilentOrigins();
  for (let index = 0; index < 10_001; index += 1) {
    origins.begin(`${service}:${index}`, 0);
    origins.silent(`${service}:${index}`, 0, 10);
  }
  expect(origins.begin(`${service}:0`, 20)).toBe(0);
  expect(origins.begin(`${service}:10000`, 20)).toBeGreaterThan(0);
});

it('learns nothing about an origin that it did not ask', () => {
  const origins = new SilentOrigins();
  origins.begin(service, 0);
  origins.unasked(service);
  expect(origins.begin(service, 60_000)).toBe(0);
});

it('gives an origin three seconds for its first answer, then the usual timeout, until it fails three times in a row', () => {
  const origins = new SilentOrigins();
  const isShort = () => origins.timeoutMs(service) === 3000;
  expect(isShort()).toBe(true);
  origins.begin(service, 0);
  origins.answered(service, 10);
  expect(origins.timeoutMs(service)).toBeUndefined();
  expect(origins.timeoutMs('https://other.example')).toBe(3000);
  const afterSilences = [100_000, 200_000, 300_000].map((now) => {
    origins.begin(service, now);
    origins.silent(service, now, now + 10);
    return isShort();
  });
  expect(afterSilences).toEqual([false, false, true]);
});

it('keeps at most 10,000 origins that have answered', () => {
  const origins = new SilentOrigins();
  for (let index = 0; index < 10_001; index += 1) {
    origins.begin(`${service}:${index}`, 0);
    origins.answered(`${service}:${index}`, 10);
  }
  expect(origins.timeoutMs(`${service}:0`)).toBe(3000);
  expect(origins.timeoutMs(`${service}:10000`)).toBeUndefined();
});
