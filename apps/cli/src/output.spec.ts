import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { print, printJson, tell } from './output.js';

let written = '';
beforeEach(() => {
  written = '';
  const write = (text: unknown): boolean => ((written += String(text)), true);
  vi.spyOn(process.stdout, 'write').mockImplementation(write);
  vi.spyOn(process.stderr, 'write').mockImplementation(write);
});
afterEach(() => void vi.restoreAllMocks());

/** What moves the cursor, fills the clipboard, sets the title, forges a line, or turns the direction of a line round. */
const hostile: readonly (readonly [text: string, shown: string])[] = [
  ['\u001b[2J', '\\u001b[2J'],
  ['\u001b]52;c;cm0gLXJm\u0007', '\\u001b]52;c;cm0gLXJm\\u0007'],
  ['\u009b2J', '\\u009b2J'],
  ['\u007f', '\\u007f'],
  ['a\r\nb\tc', 'a\\r\\nb\\tc'],
  ['a\u2028b\u2029c\u0085d', 'a\\u2028b\\u2029c\\u0085d'],
  ['\u202egnp.exe\u2066', '\\u202egnp.exe\\u2066'],
  ['Grüße, 世界 👩‍💻 \\n', 'Grüße, 世界 👩‍💻 \\n'],
];

it.each(hostile)('shows %j as written, in one line', (text, shown) => {
  print(text);
  tell(text);
  expect(written).toBe(`${shown}\n${shown}\n`);
});

it.each(hostile)('prints %j as equivalent JSON that is safe for a terminal', (text) => {
  printJson({ [text]: [text] });
  expect(JSON.parse(written)).toEqual({ [text]: [text] });
  expect(written.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u2028\u2029\u202e\u2066]/u);
});
