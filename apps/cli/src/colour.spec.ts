import { PassThrough } from 'node:stream';
import { WriteStream } from 'node:tty';
import { afterEach, expect, it, vi } from 'vitest';
import { styled } from './colour.js';

const stream = (of: object) => Object.assign(new PassThrough(), of) as unknown as NodeJS.WriteStream;

/** A terminal, but for its file descriptor: Node decides about its colours by the environment. */
const terminal = () => stream({ isTTY: true, getColorDepth: () => WriteStream.prototype.getColorDepth() });

afterEach(() => void vi.unstubAllEnvs());

it('colours a text on a terminal', () => {
  vi.stubEnv('TERM', 'xterm-256color');
  // Node knows what the log of some CI services can show, and assumes nothing of the others.
  for (const name of ['NO_COLOR', 'NODE_DISABLE_COLORS', 'FORCE_COLOR', 'CI']) vi.stubEnv(name, undefined);
  expect(styled('red', 'FAULT', terminal())).toBe('\u001b[31mFAULT\u001b[39m');
  expect(styled('bold', 'name', terminal())).toBe('\u001b[1mname\u001b[22m');
});

it.each([
  ['NO_COLOR', '1'],
  ['NODE_DISABLE_COLORS', '1'],
  ['TERM', 'dumb'],
])('does not with %s=%s', (name, value) => {
  vi.stubEnv('TERM', 'xterm-256color');
  vi.stubEnv('FORCE_COLOR', undefined);
  vi.stubEnv(name, value);
  expect(styled('red', 'FAULT', terminal())).toBe('FAULT');
});

it.each([undefined, '1'])('does not in a file or a pipe, with FORCE_COLOR=%s', (force) => {
  vi.stubEnv('TERM', 'xterm-256color');
  vi.stubEnv('FORCE_COLOR', force);
  expect(styled('red', 'FAULT', stream({}))).toBe('FAULT');
});
