import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { channelCommands, keyCommands, otherCommands } from './rights.js';

const sources = readdirSync(join(import.meta.dirname, '..'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
  .map((name) => readFileSync(join(import.meta.dirname, '..', name), 'utf8'));

it('asks for the right to each command that is run', () => {
  const run = sources.flatMap((source) =>
    Array.from(source.matchAll(/redis\.p?call\(\s*'(\w+)'/g), ([, name]) => name!),
  );
  const besideScripts = sources.flatMap((source) =>
    Array.from(source.matchAll(/\.ask\(\(client\) => client\.(\w+)\(/g), ([, name]) => name!.toUpperCase()),
  );
  expect(besideScripts).toContain('HSCAN');
  const asked = [...keyCommands, ...channelCommands, ...otherCommands];
  expect(besideScripts.filter((name) => !asked.includes(name))).toEqual([]);
  expect([...new Set(run)].filter((name) => !asked.includes(name))).toEqual([]);
  expect(keyCommands.filter((name) => ![...run, ...besideScripts].includes(name))).toEqual([]);
  expect(sources.join('').match(/redis\.p?call\((?!\s*')/)).toBeNull();
});
