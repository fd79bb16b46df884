import { expect, it } from 'vitest';
import { clientNetwork } from '#http';

it.each([
  ['1.0.0.1', '1.0.0.1'],
  ['::ffff:1.0.0.1', '1.0.0.1'],
  ['::ffff:100:1', '1.0.0.1'],
  ['1.0.0.1:443', '1.0.0.1'],
  ['2a00:1450:4001:82b::200e', '2a0014504001082b/64'],
  ['2a00:1450:4001:82b:1:2:3:4', '2a0014504001082b/64'],
  ['2a00:1450:4001:82c::1', '2a0014504001082c/64'],
  ['127.0.0.1', undefined],
  ['::1', undefined],
  ['::ffff:127.0.0.1', undefined],
  ['10.1.2.3', undefined],
  ['fd00::1', undefined],
  ['', undefined],
])('counts %s as %s', (address, network) => expect(clientNetwork(address)).toBe(network));
