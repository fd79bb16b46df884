import { beforeAll, describe, expect, it } from 'vitest';
import { brokenRules } from '../support/linted.js';

// The simulation replaces the clock, timers and chance of its process, and nothing else reaches the world from the libs:
// a lint rule finds what does so elsewhere than in the seams.

const ordinary = 'libs/channels/src/hub';

const failing = [
  ["import { connect } from 'node:net';\nexport const socket = connect(1);\n", 'no-restricted-imports'],
  ["import { performance } from 'node:perf_hooks';\nexport const now = performance.now();\n", 'no-restricted-imports'],
  ["import { setTimeout } from 'node:timers';\nexport const wait = setTimeout;\n", 'no-restricted-imports'],
  ["import { readFile } from 'node:fs/promises';\nexport const read = readFile;\n", 'no-restricted-imports'],
  ["import { Redis } from 'ioredis';\nexport const redis = new Redis();\n", 'no-restricted-imports'],
  ["export const page = fetch('https://example.com');\n", 'no-restricted-globals'],
  ['export const time = process.hrtime.bigint();\n', 'no-restricted-properties'],
].map(([text = '', rule], index) => ({ path: `${ordinary}/failing-${index}.ts`, text, rule }));

const passing = [
  [ordinary, "import { isIP } from 'node:net';\nexport const is = isIP('::1');\n"],
  [ordinary, "import type { Server } from 'node:http';\nexport type Its = Server;\n"],
  [ordinary, "import { setTimeout } from 'node:timers/promises';\nexport const wait = setTimeout(Math.random());\n"],
  [ordinary, "import { randomUUID } from 'node:crypto';\nexport const id = `${randomUUID()} ${Date.now()}`;\n"],
  ['libs/redis/src/connection', "import { Redis } from 'ioredis';\nexport const redis = new Redis();\n"],
].map(([folder, text = ''], index) => ({ path: `${folder}/passing-${index}.ts`, text }));

describe('the lint rule of the seams', () => {
  let broken: Map<string, readonly string[]>;
  beforeAll(async () => {
    broken = await brokenRules(Object.fromEntries([...failing, ...passing].map(({ path, text }) => [path, text])));
  });

  it.each(failing)('fails $text', ({ path, rule }) => {
    expect(broken.get(path)).toEqual([`eslint(${rule})`]);
  });

  it.each(passing)('passes, in $path, $text', ({ path }) => {
    expect(broken.get(path)).toEqual([]);
  });
});
