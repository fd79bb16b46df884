import { expect, it } from 'vitest';
import { isInstanceId } from 'rookery/push-device';

it.each([
  ['0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', true],
  ['0B1F8F3E-2A52-4C0F-9F0E-1D2C3B4A5F60', true],
  ['00000000-0000-0000-0000-000000000000', true],
  ['0b1f8f3e2a524c0f9f0e1d2c3b4a5f60', false],
  ['{0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60}', false],
  ['0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60\n', false],
  ['abe1212381f60', false],
  ['', false],
  [7, false],
])('%j can be the id of an instance: %s', (id, expected) => expect(isInstanceId(id)).toBe(expected));
