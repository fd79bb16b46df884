import { describe, expect, it } from 'vitest';
import { faultsIn, kinds } from '../../scripts/planted-faults.mjs';

/** The text with each of the faults of a kind. */
const planted = (kind: keyof typeof kinds, text: string): readonly string[] =>
  faultsIn('a.ts', text, [kind]).map(({ from, to, text: instead }) => text.slice(0, from) + instead + text.slice(to));

describe('the faults that npm run mutants -- --kinds plants', () => {
  it('leave an await out where only a statement waits', () => {
    expect(planted('await', 'async () => { await a(); const b = await c(); };')).toEqual([
      'async () => { void a(); const b = await c(); };',
    ]);
  });

  it('change the order of two statements of which one waits', () => {
    expect(planted('order', 'async () => { a(); b(); await c(); };')).toEqual([
      'async () => { a(); await c(); b(); };',
    ]);
  });

  it('leave a part of a key out, and no part of a sentence', () => {
    expect(planted('key', 'const key = `${app} ${name}`;')).toEqual([
      "const key = `${''} ${name}`;",
      "const key = `${app} ${''}`;",
    ]);
    expect(planted('key', 'const key = JSON.stringify([app, name]);')).toEqual([
      'const key = JSON.stringify([name]);',
      'const key = JSON.stringify([app]);',
    ]);
    expect(planted('key', 'log(`${app} has refused the event of ${name}`); JSON.stringify([all]);')).toEqual([]);
  });

  it('change conditions, orders and locks in SQL', () => {
    expect(planted('sql', "query('SELECT a FROM b WHERE c <= $1 AND d = $2 ORDER BY e DESC FOR UPDATE')")).toEqual([
      "query('SELECT a FROM b WHERE c <= $1 OR d = $2 ORDER BY e DESC FOR UPDATE')",
      "query('SELECT a FROM b WHERE c < $1 AND d = $2 ORDER BY e DESC FOR UPDATE')",
      "query('SELECT a FROM b WHERE c <= $1 AND d = $2 ORDER BY e FOR UPDATE')",
      "query('SELECT a FROM b WHERE c <= $1 AND d = $2 ORDER BY e DESC')",
    ]);
    expect(planted('sql', "log('this AND that')")).toEqual([]);
  });

  it('change conditions of scripts of Redis, and leave calls out', () => {
    expect(planted('lua', "`\nif a > b then\n  redis.call('DEL', KEYS[1])\nend`")).toEqual([
      '`\nif a > b then\n\nend`',
      "`\nif not (a > b) then\n  redis.call('DEL', KEYS[1])\nend`",
      "`\nif a >= b then\n  redis.call('DEL', KEYS[1])\nend`",
    ]);
  });

  it('are told with their lines', () => {
    expect(faultsIn('a.ts', 'a();\nasync () => {\n  await b();\n};')).toMatchObject([{ kind: 'await', line: 3 }]);
  });
});
