import { expect, it } from 'vitest';
import { brokenRules } from '../support/linted.js';

const imports = "import { expect, it, vi } from 'vitest';\n";
const uses = 'void [expect, it, vi];\n';
const specs = ['libs/channels/src/hub/a.spec.ts', 'test/trigger/a.e2e.spec.ts'];

it.each([
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
])('tests keep %s: %s fails', async (rule, test) => {
  for (const path of specs) expect(await brokenRules(path, `${imports}${test}\n${uses}`)).toContain(`vitest(${rule})`);
});

it.each([
  "it('a', () => expect(1, 'one').toBe(1));",
  "it('a', async () => {\n  await expect.poll(() => 1).toBe(1);\n});",
  "it('a', async () => {\n  await until(() => true, 'it is');\n});",
  "it('a', async () => {\n  await expect(Promise.resolve(1)).resolves.toBe(1);\n});",
])('a test passes: %s', async (test) => {
  for (const path of specs) expect(await brokenRules(path, `${imports}${test}\n${uses}`)).toEqual([]);
});
