import { type Edit, insertion } from './edit.js';
import { printWidth, type SourceStyle } from './entry.js';

/** The elements of an array, or the properties of an object, between their brackets. */
export interface List {
  /** Right after the opening bracket. */
  readonly start: number;
  /** Right before the closing one. */
  readonly end: number;
  readonly elements: readonly { readonly start: number; readonly end: number }[];
  readonly hasTrailingComma: boolean;
}

/**
 * Appends to a list. Comments keep their places, and a list keeps its form: one line while it fits, a trailing comma or
 * none.
 * @param made the new elements, given their indentation
 */
export function appended(
  text: string,
  list: List,
  made: (indent: string) => readonly string[],
  style: SourceStyle,
): readonly Edit[] {
  const { start, end, elements } = list;
  const inner = text.slice(start, end);
  const outer = indentAt(text, start);
  if (elements.length > 0 && inner.includes('\n')) return intoLines(text, list, made, style);
  const hasComment = /\/[/*]/.test(inner);
  if (elements.length === 0 && hasComment)
    return [insertion(start + inner.trimEnd().length, lines(made(outer + style.unit), outer + style.unit, style))];
  const present = elements.map((each) => text.slice(each.start, each.end));
  const isObject = text[start - 1] === '{';
  const line = [...present, ...made(outer)].join(', ');
  const column = start - (text.lastIndexOf('\n', start - 1) + 1);
  // Two more for the bracket and the comma after it.
  const fits = !line.includes('\n') && column + line.length + (isObject ? 4 : 2) <= printWidth;
  // The object's own elements may have edits, which would be lost if it was replaced.
  if (elements.length > 0 && (hasComment || isObject || fits))
    return [insertion(elements.at(-1)!.end, `, ${made(outer).join(', ')}`)];
  if (fits) return [{ start, end, text: isObject ? ` ${line} ` : line }];
  const all = [...present, ...made(outer + style.unit)];
  return [{ start, end, text: `${lines(all, outer + style.unit, style)}${style.newline}${outer}` }];
}

function intoLines(
  text: string,
  { end, elements, hasTrailingComma }: List,
  made: (indent: string) => readonly string[],
  style: SourceStyle,
): readonly Edit[] {
  const [first, last] = [elements[0]!, elements.at(-1)!];
  const indent = startsLine(text, first.start) ? indentAt(text, first.start) : indentAt(text, first.start) + style.unit;
  const rest = text.slice(last.end, end).trimEnd();
  const added = lines(made(indent), indent, style);
  return [
    ...(hasTrailingComma ? [] : [insertion(last.end, ',')]),
    insertion(last.end + rest.length, hasTrailingComma ? added : added.slice(0, -1)),
  ];
}

const lines = (elements: readonly string[], indent: string, { newline }: SourceStyle): string =>
  elements.map((element) => `${newline}${indent}${element},`).join('');

/** The white space at the beginning of the line of a position. */
export const indentAt = (text: string, position: number): string =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', position - 1) + 1))![0];

const startsLine = (text: string, position: number): boolean =>
  text.slice(text.lastIndexOf('\n', position - 1) + 1, position).trim() === '';
