import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkPlaces, staleFigures } from '../../bench/report/docs.mjs';
import { beginOf, codeHash, evidenceOf } from '../../bench/report/evidence.mjs';
import { documented, rows } from '../../bench/rows/index.mjs';

const root = join(import.meta.dirname, '../..');
const docs = join(root, 'docs');

const figures = readdirSync(docs)
  .filter((name) => name.endsWith('.md'))
  .flatMap((page) => [...evidenceOf(readFileSync(join(docs, page), 'utf8'))].map(([row, of]) => ({ row, ...of })));

it('each row that is measured for the docs has its figures there', () => {
  expect(figures.map(({ row }) => row).toSorted()).toEqual([...documented].toSorted());
  for (const { build, configuration, commit } of figures)
    expect([build, configuration, commit]).toEqual(Array(3).fill(expect.stringMatching(/^[0-9a-f]{7,12}$/)));
});

it('makes figures stale once the code of their hot path does something else, not once it reads otherwise', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-evidence-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const hashOf = (name: string, code: string): string => {
    writeFileSync(join(folder, name), code);
    return codeHash([relative(root, folder)]);
  };
  const measured = hashOf('hub.ts', 'export const slice = (ms: number) => `${ms // milliseconds\n} ms`;');
  expect(hashOf('hub.ts', '/** A slice. */\nexport const slice = (\n  ms: number) => `${ms} ms`;')).toBe(measured);
  expect(hashOf('hub.spec.ts', 'it.todo("slices");')).toBe(measured);
  expect(hashOf('hub.ts', 'export const slice = (ms: number) => `${ms}  ms`;')).not.toBe(measured);
  expect(hashOf('hub.ts', 'export const slice = (ms: number) => `${ms} ms`;')).toBe(measured);
  expect(hashOf('frames.ts', '')).not.toBe(measured);
});

it('reads from a page what was written into it', () => {
  const of = { date: '2026-11-28', commit: '15292ad8', build: 'b0', configuration: 'c0', code: 'd0' };
  expect(evidenceOf(`# Performance\n\n${beginOf('fanout', of)}\n\n- Fan-out\n`)).toEqual(new Map([['fanout', of]]));
});

it('lists the figures whose code has changed since, for a release', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-stale-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const of = { date: '2026-11-28', commit: '15292ad8', build: 'b0', configuration: 'c0' };
  const pageOf = (...codes: readonly (readonly [row: string, code: string])[]): string =>
    codes.map(([row, code]) => `${beginOf(row, { ...of, code })}\n\n- 1\n\n<!-- /measured -->\n`).join('\n');
  const fresh = codeHash(rows['fanout']!.hotPath!);
  writeFileSync(join(folder, 'performance.md'), pageOf(['fanout', fresh], ['triggers', 'changed']));
  expect(staleFigures(folder)).toEqual([
    { row: 'triggers', page: 'performance.md', date: '2026-11-28', commit: '15292ad8' },
  ]);
});

describe('before anything is measured', () => {
  const machine = { cpu: 'a CPU', cores: 2, memoryGb: 8, node: 'v24.0.0', isPinned: false };
  const place = (name: string, text = ''): string => `<!-- measured: ${name} -->\n\n${text}\n\n<!-- /measured -->\n`;

  /** Checks these rows against a folder with one page. */
  function check(names: readonly string[], page: string): void {
    const folder = mkdtempSync(join(tmpdir(), 'rookery-places-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'performance.md'), page);
    checkPlaces(names, machine, folder);
  }

  it('the docs have a place for each row', () => {
    expect(() => checkPlaces(documented, machine)).not.toThrow();
    expect(() => check(['fanout', 'host'], place('machine') + place('host') + place('fanout'))).not.toThrow();
  });

  it.each<[string, readonly string[], string, string]>([
    [
      'a row has none',
      ['fanout', 'host'],
      place('machine') + place('fanout'),
      'has a place for host: <!-- measured: host -->',
    ],
    ['a place has no end', ['fanout'], `${place('machine')}<!-- measured: fanout -->\n`, 'has a place for fanout'],
    ['the machine has none', ['fanout'], place('fanout'), 'has a place for machine'],
    ['other rows are of another machine', ['host'], place('machine', 'Measured on b.') + place('host'), 'measure all'],
    ['a row has no hot path', ['pings'], place('machine') + place('pings'), 'The row pings names no hot path'],
  ])('the command fails where %s', (_, names, page, error) => {
    expect(() => check(names, page)).toThrow(error);
  });
});
