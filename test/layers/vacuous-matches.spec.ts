import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

// toMatchObject compares the own properties of a pattern, and a regular expression has none: inside an object it accepts
// any text. `expect.stringMatching(/…/)` compares the text.

const root = resolve(import.meta.dirname, '../..');
/** The lines of a test at which toMatchObject is given a regular expression. */
function vacuousMatches(path: string, text: string): readonly string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const found: string[] = [];
  const searchPattern = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      found.push(`${path}:${file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1}`);
    }
    // What a call or a function makes of it is its own matter, such as expect.stringMatching.
    if (!ts.isCallExpression(node) && !ts.isFunctionLike(node)) ts.forEachChild(node, searchPattern);
  };
  const search = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      if (node.expression.name.text === 'toMatchObject') node.arguments.forEach(searchPattern);
    }
    ts.forEachChild(node, search);
  };
  search(file);
  return found;
}

const tests = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.mts'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => path.startsWith('test/') || /\.spec\.\w+$/.test(path));

it('accepts any text for a regular expression inside an object, which is why tests have none there', () => {
  expect({ reason: 'another' }).toMatchObject({ reason: /refused/ });
});

it('finds a regular expression that toMatchObject would not compare', () => {
  const planted = [
    'expect(answer).toMatchObject({ reason: /refused/ });',
    'expect(answers).toMatchObject([{ error: { text: /refused/ as unknown } }]);',
    'expect(answer).toMatchObject({ reason: expect.stringMatching(/refused/) });',
    'expect(answer).toMatchObject({ lines: texts.filter((text) => /refused/.test(text)) });',
    'expect(answer).toMatch(/refused/);',
  ];
  expect(vacuousMatches('planted.spec.ts', planted.join('\n'))).toEqual([1, 2].map((n) => `planted.spec.ts:${n}`));
});

it('finds none in the tests', () => {
  const own = 'test/layers/vacuous-matches.spec.ts';
  const texts = tests.map((path) => [path, readFileSync(join(root, path), 'utf8')] as const);
  const matching = texts.filter(([path, text]) => path !== own && text.includes('toMatchObject'));
  expect(matching.length).toBeGreaterThan(100);
  const found = matching.flatMap(([path, text]) => vacuousMatches(path, text));
  expect(found).toEqual([]);
});
