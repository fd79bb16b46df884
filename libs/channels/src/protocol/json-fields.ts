import { isObject } from '#common';
import { ProtocolError } from './protocol-error.js';

/**
 * The fields of a JSON object, each value as the JSON that was sent: a number keeps all its digits, where JSON.parse
 * keeps only those of a double. Spaces and needless escapes are removed, so a value is as long as JSON.stringify would
 * write it. When a name is repeated, the last field wins, as in JSON.parse.
 * @example jsonFields('{ "user_id": 1234567890123456781 }') // Map { 'user_id' => '1234567890123456781' }
 * @returns `undefined` when the text is not a JSON object
 */
export function jsonFields(text: string): ReadonlyMap<string, string> | undefined {
  if (!isObject(parsed(text))) return undefined;
  const fields = new Map<string, string>();
  // The text is valid JSON: the code below only finds the ends of values.
  for (let at = text.indexOf('{'); text[at] !== '}';) {
    const name = text.indexOf('"', at);
    if (name < 0) break;
    const nameEnd = stringEnd(text, name);
    const value = text.indexOf(':', nameEnd) + 1;
    at = valueEnd(text, value);
    fields.set(plain(text.slice(name, nameEnd + 1)), compact(text.slice(value, at)));
  }
  return fields;
}

/**
 * The {@link jsonFields} of a text that a client sent as `field`.
 * @throws ProtocolError when the text is not a JSON object
 */
export function fieldsOf(text: string, field: string): ReadonlyMap<string, string> {
  const fields = jsonFields(text);
  if (!fields) throw ProtocolError.invalidMember(`${field} must be a JSON object`);
  return fields;
}

/** The items of a JSON array, each as {@link jsonFields} returns values. */
export function jsonItems(text: string): readonly string[] | undefined {
  const array = parsed(text);
  if (!Array.isArray(array)) return undefined;
  let at = text.indexOf('[');
  return array.map(() => {
    const start = at + 1;
    at = valueEnd(text, start);
    return compact(text.slice(start, at));
  });
}

/**
 * Whether JSON.stringify may write a number of the text otherwise once it is parsed: one with more digits than a double
 * has, with an exponent (`1e400`), with a zero at its end (`1.0`), smaller than 0.000001, or `-0`.
 */
export const mayBeRewritten = (text: string): boolean => otherSpelling.test(text);

const otherSpelling =
  /[[:,\s]-?\d(?:\d{15}|[\d.]{16}|(?<=0)\.0{6}|\d*(?:\.\d*0(?!\d)|(?:\.\d+)?[eE])|(?<=-0)(?![\d.]))/;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The index of the `,`, `}` or `]` after a value. */
function valueEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; ; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = stringEnd(text, at);
        break;
      case openBrace:
      case openBracket:
        depth++;
        break;
      case comma:
        if (depth === 0) return at;
        break;
      case closeBrace:
      case closeBracket:
        if (depth-- === 0) return at;
    }
  }
}

const [quote, comma, backslash] = [0x22, 0x2c, 0x5c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/** The index of a string's closing quote: the first one not escaped by an odd number of backslashes. */
function stringEnd(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); ; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (text.charCodeAt(before - 1) === backslash) before--;
    if ((at - before) % 2 === 0) return at;
  }
}

/** A JSON string without its quotes and escapes. */
const plain = (string: string): string =>
  string.includes('\\') ? (JSON.parse(string) as string) : string.slice(1, -1);

const spaceOrEscape = /[ \t\n\r\\]/;

/** A value as JSON.stringify would write it, except that numbers keep their digits. */
function compact(json: string): string {
  if (!spaceOrEscape.test(json)) return json;
  let compacted = '';
  let start = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code > quote) continue;
    compacted += json.slice(start, at);
    if (code === quote) {
      const end = stringEnd(json, at) + 1;
      compacted += withoutEscapes(json.slice(at, end));
      at = end - 1;
    }
    start = at + 1;
  }
  return compacted + json.slice(start);
}

const withoutEscapes = (string: string): string =>
  string.includes('\\') ? JSON.stringify(JSON.parse(string)) : string;
