import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { blocksOf } from '../support/doc-blocks.js';
import { ReadersFolder } from '../support/terminal.js';

const root = join(import.meta.dirname, '../..');
const page = 'docs/performance.md';
const lines = blocksOf(page, readFileSync(join(root, page), 'utf8')).flatMap(({ code }) => code.split('\n'));

it('the benchmarks measure what they are asked for', async () => {
  const reader = new ReadersFolder();
  try {
    const line = lines.find((each) => each.startsWith('npm run bench') && each.includes('--quick'))!;
    const results = join(reader.path, 'results.json');
    const measure = `cd '${root}' && ${line.replace(/ +#.*/, '')} --alone --json '${results}'`;
    const { code, stdout, stderr } = await reader.run(measure);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('1000 subscribers');
    const measured = JSON.parse(readFileSync(results, 'utf8')) as {
      results: { row: string; answersPerSecond: number }[];
    };
    expect(new Set(measured.results.map(({ row }) => row))).toEqual(new Set(['fanout', 'triggers']));
    expect(measured.results.every(({ answersPerSecond }) => answersPerSecond > 0)).toBe(true);
  } finally {
    await reader.close();
  }
}, 300_000);
