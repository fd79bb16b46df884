import { expect, it } from 'vitest';
import { readAddress } from '#http';

it.each([
  ['1.0.0.1', '1.0.0.1'],
  [' 1.0.0.1 ', '1.0.0.1'],
  ['1.0.0.1:443', '1.0.0.1'],
  ['::1', '::1'],
  ['[::1]', '::1'],
  ['[2001:db8::1]:443', '2001:db8::1'],
  ['2001:db8::1:443', '2001:db8::1:443'],
  ['fe80::1%eth0', 'fe80::1'],
  ['::ffff:1.0.0.1', '1.0.0.1'],
  ['::FFFF:100:1', '1.0.0.1'],
  ['0:0:0:0:0:ffff:1.0.0.1', '1.0.0.1'],
  ['[::ffff:1.0.0.1]:443', '1.0.0.1'],
  ['unknown', undefined],
  ['_hidden:443', undefined],
  ['1.0.0', undefined],
  ['1', undefined],
  ['1.0.0.1:', undefined],
  ['1.0.0.1:443:443', undefined],
  ['[::1', undefined],
  ['', undefined],
])('reads %j as %j', (text, address) => expect(readAddress(text)).toBe(address));
