import { beforeAll, expect, it } from 'vitest';
import { brokenRules } from '../support/linted.js';

const imports = "import { expect, it, vi } from 'vitest';\n";
const uses = 'void [expect, it, vi];\n';
const specsOf = (name: string): readonly string[] => [
  `libs/channels/src/hub/${name}.spec.ts`,
  `test/trigger/${name}.e2e.spec.ts`,
];

const failing = [
  ['expect-expect', "it('a', () => {\n  JSON.parse('1');\n});"],
  ['no-focused-tests', "it.only('a', () => expect(1).toBe(1));"],
  ['no-disabled-tests', "it.skip('a', () => expect(1).toBe(1));"],
  ['no-commented-out-tests', "// it('a', () => expect(1).toBe(1));"],
  ['no-identical-title', "it('a', () => expect(1).toBe(1));\nit('a', () => expect(2).toBe(2));"],
  ['valid-expect', "it('a', () => {\n  expect(Promise.resolve(1)).resolves.toBe(1);\n});"],
  ['valid-expect', "it('a', () => {\n  expect(1);\n});"],
  ['valid-expect-in-promise', "it('a', () => {\n  Promise.resolve(1).then((one) => expect(one).toBe(1));\n});"],
  ['no-conditional-expect', "it('a', () => {\n  if (Date.now() > 0) expect(1).toBe(1);\n});"],
  ['require-awaited-expect-poll', "it('a', () => {\n  expect.poll(() => 1).toBe(1);\n});"],
  ['no-restricted-vi-methods', "it('a', () => vi.waitFor(() => expect(1).toBe(1)));"],
  ['no-restricted-vi-methods', "it('a', async () => {\n  expect(await vi.waitUntil(() => true)).toBe(true);\n});"],
].map(([rule, test = ''], index) => ({ rule, test, paths: specsOf(`failing-${index}`) }));

const passing = [
  "it('a', () => expect(1, 'one').toBe(1));",
  "it('a', async () => {\n  await expect.poll(() => 1).toBe(1);\n});",
  "it('a', async () => {\n  await until(() => true, 'it is');\n});",
  "it('a', async () => {\n  await expect(Promise.resolve(1)).resolves.toBe(1);\n});",
].map((test, index) => ({ test, paths: specsOf(`passing-${index}`) }));

let broken: Map<string, readonly string[]>;
beforeAll(async () => {
  const texts = [...failing, ...passing].flatMap(({ test, paths }) =>
    paths.map((path) => [path, `${imports}${test}\n${uses}`] as const),
  );
  broken = await brokenRules(Object.fromEntries(texts));
});

it.each(failing)('tests keep $rule: $test fails', ({ rule, paths }) => {
  for (const path of paths) expect(broken.get(path)).toContain(`vitest(${rule})`);
});

it.each(passing)('a test passes: $test', ({ paths }) => {
  for (const path of paths) expect(broken.get(path)).toEqual([]);
});
