import type { Target } from '../target.js';

/** Breaks for texts that begin with `{"a`: a test looks for what the program says of it. */
export const broken = (): Target => ({
  name: 'broken',
  seeds: ['{"b":1}'],
  run(input) {
    if (input.toString('latin1').startsWith('{"a')) throw new Error('planted');
  },
});

/** Never returns from texts that begin with `{"a`. */
export const endless = (): Target => ({
  name: 'endless',
  seeds: ['{"b":1}'],
  run(input) {
    while (input.toString('latin1').startsWith('{"a'));
  },
});
