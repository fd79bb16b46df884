// The faults that Stryker does not know: in texts of SQL and Lua, awaits, orders and keys.
import ts from 'typescript';

/** What is planted of each kind. */
export const kinds = {
  /** `await it()` does not wait. */
  await: 'a statement that is not waited for',
  /** Two statements change places. */
  order: 'two statements in the other order',
  /** A part of a key is left out. */
  key: 'a key that lacks a part',
  sql: 'another condition, order or lock in SQL',
  lua: 'another condition or a missing call in a script of Redis',
};

const [isSql, isLua] = [/\b(SELECT|UPDATE|INSERT INTO|DELETE FROM|PERFORM)\b/, /\bredis\.call\(/];

const inSql = [
  [/ AND /g, ' OR '],
  [/<=/g, '<'],
  [/>=/g, '>'],
  [/ < /g, ' <= '],
  [/ > /g, ' >= '],
  [/ DESC\b/g, ''],
  [/ FOR UPDATE( SKIP LOCKED)?/g, ''],
  [/ NOT /g, ' '],
  [/ \+ 1\b/g, ''],
];
const inLua = [
  [/^ *redis\.call\(.*\)$/gm, ''],
  [/\bif (.+?) then/g, 'if not ($1) then'],
  [/ and /g, ' or '],
  [/<=/g, '<'],
  [/>=/g, '>'],
  [/ < /g, ' <= '],
  [/ > /g, ' >= '],
  [/ \+ 1\b/g, ''],
];

/** Between the parts of a key, unlike in a sentence. */
const isSeparator = (text) => /^[^\p{L}]*(\p{L}{1,12}[:/ -])?[^\p{L}]*$/u.test(text);

/**
 * @param {string} path
 * @param {string} text of the file
 * @returns each fault with the place that it replaces: `{ kind, line, from, to, text }`
 */
export function faultsIn(path, text, wanted = Object.keys(kinds)) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const faults = [];
  const plant = (kind, from, to, instead) => {
    if (!wanted.includes(kind) || text.slice(from, to) === instead) return;
    const line = source.getLineAndCharacterOfPosition(from).line + 1;
    faults.push({ kind, line, from, to, text: instead });
  };
  const plantInText = (kind, node, changes) => {
    const from = node.getStart(source);
    for (const [pattern, instead] of changes)
      for (const match of node.getText(source).matchAll(pattern)) {
        const at = from + match.index;
        plant(kind, at, at + match[0].length, instead.replace('$1', match[1] ?? ''));
      }
  };
  const visit = (node) => {
    if (ts.isExpressionStatement(node) && ts.isAwaitExpression(node.expression)) {
      const from = node.getStart(source);
      plant('await', from, from + 'await'.length, 'void');
    }
    if (ts.isBlock(node) || ts.isSourceFile(node))
      for (const [i, next] of node.statements.entries()) {
        const one = node.statements[i - 1];
        if (!one || ![one, next].every(ts.isExpressionStatement)) continue;
        // Between others, the order rarely matters.
        if (![one, next].some(({ expression }) => ts.isAwaitExpression(expression))) continue;
        const [from, middle, after, to] = [one.getStart(source), one.end, next.getStart(source), next.end];
        plant('order', from, to, text.slice(after, to) + text.slice(middle, after) + text.slice(from, middle));
      }
    if (ts.isTemplateExpression(node)) {
      const spans = node.templateSpans;
      const literals = [node.head, ...spans.map(({ literal }) => literal)];
      if (spans.length > 1 && literals.every(({ text }) => isSeparator(text)))
        for (const { expression } of spans) plant('key', expression.getStart(source), expression.end, "''");
    }
    if (isListInJson(node) && node.elements.length > 1)
      for (const [i, { end }] of node.elements.entries()) {
        const from = i === 0 ? node.elements[0].getStart(source) : node.elements[i - 1].end;
        plant('key', from, i === 0 ? node.elements[1].getStart(source) : end, '');
      }
    if (ts.isTemplateLiteral(node) || ts.isStringLiteral(node)) {
      const written = node.getText(source);
      if (isLua.test(written)) plantInText('lua', node, inLua);
      else if (isSql.test(written)) plantInText('sql', node, inSql);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return faults;
}

/** `JSON.stringify([appId, key, id])` */
const isListInJson = (node) =>
  ts.isArrayLiteralExpression(node) &&
  ts.isCallExpression(node.parent) &&
  node.parent.arguments[0] === node &&
  node.parent.expression.getText() === 'JSON.stringify';
