import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

// A comparison that ends at the first difference shows an attacker how much of a secret is right. Those in constant time
// are `sameSecret`, and few others where bytes are compared.

const root = resolve(import.meta.dirname, '../..');
const sources = ['libs', 'apps']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  )
  .filter((path) => /^\w+\/\w[\w-]*\/src\/.*\.tsx?$/.test(path) && !/\.spec\.ts$|^libs\/testing/.test(path))
  .sort();

const secretName = /secret|signature|password|passphrase|token|hmac|digest|csrf|credential/i;
const equalities = new Set([
  ts.SyntaxKind.EqualsEqualsToken,
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
]);
/** What a text has in common with others until they differ. */
const searches = new Set(['includes', 'indexOf', 'startsWith', 'endsWith', 'localeCompare']);

/** Of no secret: the digest is of the body, and the token is that of the device that asks. */
const harmless = ["digest !== hash('md5', body)", 'this.tokens.get(key) === token'];

/** The last name of an expression: that of a variable, a property, or what is called. */
function nameOf(node: ts.Expression): string {
  if (ts.isIdentifier(node)) return node.text;
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  if (ts.isElementAccessExpression(node)) return nameOf(node.expression);
  if (ts.isCallExpression(node)) return nameOf(node.expression);
  if (ts.isNonNullExpression(node) || ts.isParenthesizedExpression(node) || ts.isAwaitExpression(node))
    return nameOf(node.expression);
  return '';
}

/** Whether the comparison with it tells nothing of a secret: a constant of the code, a type, a length. */
const isPlain = (node: ts.Expression): boolean =>
  ts.isLiteralExpression(node) ||
  ts.isTypeOfExpression(node) ||
  node.kind === ts.SyntaxKind.NullKeyword ||
  ['undefined', 'length', 'size'].includes(nameOf(node));

/** The comparisons in a text that could show a secret. @param isStrict any, whatever their names */
function comparisonsIn(text: string, isStrict = false): readonly string[] {
  const found: string[] = [];
  const isSecret = (node: ts.Expression): boolean => secretName.test(nameOf(node));
  const visit = (node: ts.Node): void => {
    if (ts.isBinaryExpression(node) && equalities.has(node.operatorToken.kind)) {
      const sides = [node.left, node.right];
      if (!sides.some(isPlain) && (isStrict || sides.some(isSecret))) found.push(node.getText());
    }
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { name, expression } = node.expression;
      const isSearch = searches.has(name.text) && [expression, ...node.arguments].some(isSecret);
      const isOfBytes = name.text === 'equals' || (name.text === 'compare' && nameOf(expression) === 'Buffer');
      if (isOfBytes || (isSearch && !node.arguments.some(isPlain))) found.push(node.getText());
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('a.tsx', text, ts.ScriptTarget.Latest, true));
  return found;
}

const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Only these are worth parsing. */
const withSecrets = sources.filter((path) => {
  const text = textOf(path);
  return secretName.test(text) || /\.equals\(|\.compare\(/.test(text);
});

it('compares secrets in constant time, wherever a name says that it is one', () => {
  const found = withSecrets.flatMap((path) =>
    comparisonsIn(textOf(path)).map((comparison) => [path, comparison] as const),
  );
  expect(found.filter(([, comparison]) => !harmless.includes(comparison))).toEqual([]);
  expect(found.map(([, comparison]) => comparison).toSorted()).toEqual(harmless);
});

it('compares these secrets in constant time, whose names may not say so', () => {
  const uses = sources.filter((path) => /\b(sameSecret|timingSafeEqual)\(/.test(textOf(path)));
  expect(uses).toEqual([
    'apps/server/src/metrics.guard.ts',
    'libs/channels/src/access/request-signature.ts',
    'libs/channels/src/protocol/subscription-token.ts',
    'libs/channels/src/webhooks/webhook.guard.ts',
    'libs/channels/src/wings/receipts/receipt-names.ts',
    'libs/common/src/secrets.ts',
    'libs/console/src/access/console-key.ts',
    'libs/notifications/src/read-links.ts',
    'libs/publish/src/delivery/web/open-link.ts',
    'libs/publish/src/webhooks/publish-webhook.guard.ts',
    'libs/push-device/src/instances/secret-keys.ts',
  ]);
  const own = uses.filter((path) => textOf(path).includes('timingSafeEqual('));
  expect(own.flatMap((path) => comparisonsIn(textOf(path), true))).toEqual([]);
});

it.each([
  'given === app.secret',
  'signatureOf(body) !== given',
  'given == secrets[0]!',
  'secrets.includes(given)',
  'expected.startsWith(givenToken)',
  'left.equals(right)',
  'Buffer.compare(left, right) === 0',
])('finds %s', (text) => {
  expect(comparisonsIn(text)).not.toEqual([]);
});

it.each(['typeof secret === "string"', 'signature !== undefined', 'token.length === 3', 'key === app.key'])(
  'passes %s',
  (text) => {
    expect(comparisonsIn(text)).toEqual([]);
  },
);
