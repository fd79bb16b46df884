import { type Case, originOf } from './case.js';
import type { Result } from './run.js';
import { version } from './version.js';

const outcomes = ['passed', 'failed', 'dialect', 'wording', 'skipped'] as const;

const themeOf = ({ id }: Result): string => id.split('/')[0]!;

/** A line for each theme, and one for each case that did not pass. */
export function asTable(results: readonly Result[]): string {
  const line = (name: string, theme?: string): string =>
    name.padEnd(16) + outcomes.map((outcome) => String(countOf(results, outcome, theme)).padStart(9)).join('');
  const others = results.filter(({ outcome }) => outcome !== 'passed');
  return [
    ''.padEnd(16) + outcomes.map((outcome) => outcome.padStart(9)).join(''),
    ...themesOf(results).map((theme) => line(theme, theme)),
    line('all'),
    ...others.flatMap(({ id, title, source, outcome, note, sent }) => [
      '',
      `${outcome}: ${id}`,
      `  ${title}.`,
      `  ${onOneLine(note)}`,
      ...(outcome === 'failed' && sent !== undefined ? [`  last sent: ${onOneLine(sent)}`] : []),
      ...(outcome === 'failed' ? [`  ${source}`] : []),
    ]),
  ].join('\n');
}

/** A line for each theme, as documents show them; the results of a server with its name, such as `soketi 1.6.1`. */
export function asMarkdown(results: readonly Result[], { name, on }: { name: string; on: Date }): string {
  const rows = [...themesOf(results), undefined].map((theme) => [
    theme ?? 'all',
    ...outcomes.map((outcome) => String(countOf(results, outcome, theme))),
  ]);
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    `${name}, judged by @rookery/conformance ${version} on ${on.toISOString().slice(0, 10)}:`,
    '',
    line(['', ...outcomes]),
    line(['---', ...outcomes.map(() => '---:')]),
    ...rows.map(line),
  ].join('\n');
}

const themesOf = (results: readonly Result[]): readonly string[] => [...new Set(results.map(themeOf))];

const countOf = (results: readonly Result[], outcome: Result['outcome'], theme?: string): number =>
  results.filter((each) => each.outcome === outcome && (!theme || themeOf(each) === theme)).length;

/** Control characters, line ends, and characters that change the direction of a text. */
const unseen = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** A judged server's words must not make lines of their own, nor steer a terminal. */
export const onOneLine = (text: string): string =>
  text.replaceAll(unseen, (character) =>
    JSON.stringify(character)
      .slice(1, -1)
      .replace(/^[^\\]$/, ' '),
  );

/** For scripts, indented. */
export const asJson = (results: readonly Result[]): string =>
  JSON.stringify(results, undefined, 2).replaceAll(unseen, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** The cases with what they promise, and where that is from. */
export function asList(cases: readonly Case[]): string {
  const rows = cases.map((each) => [each.id, each.profile, each.title, originOf(each)]);
  const all = [['case', 'profile', 'promise', 'source'], ...rows];
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('   ')
        .trimEnd(),
    )
    .join('\n');
}

/**
 * As build servers read it. A dialect and other words are no failures, and are told apart from what was skipped by the
 * type of `skipped` and the property `outcome`.
 */
export function asJunit(results: readonly Result[]): string {
  const cases = results.map((each) => {
    const { id, title, source, outcome, note, sent, durationMs } = each;
    const properties = Object.entries({ title, source, outcome, ...(sent !== undefined && { sent }) })
      .map(([name, value]) => `<property name="${name}" value="${escaped(value)}"/>`)
      .join('');
    const result = outcome === 'failed' ? 'failure' : 'skipped';
    const inside = outcome === 'passed' ? '' : `<${result} type="${outcome}" message="${escaped(note)}"/>`;
    const named = `classname="${themeOf(each)}" name="${escaped(id)}" time="${durationMs / 1000}"`;
    return `<testcase ${named}><properties>${properties}</properties>${inside}</testcase>`;
  });
  const count = (isCounted: (result: Result) => boolean): number => results.filter(isCounted).length;
  const failures = count(({ outcome }) => outcome === 'failed');
  const skipped = count(({ outcome }) => outcome !== 'passed' && outcome !== 'failed');
  const totals = `tests="${results.length}" failures="${failures}" skipped="${skipped}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="rookery conformance" ${totals}>\n${cases.join('\n')}\n</testsuite>`;
}

const escaped = (text: string): string =>
  text
    // Characters that XML cannot have.
    .replaceAll(/[^\t\n\r -\uD7FF\uE000-\uFFFD]/g, '\uFFFD')
    .replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
