import { expect, it } from 'vitest';
import { type Cell, fitted, tableLines } from './table.js';

/** What a terminal of that width shows, or a pipe. */
const shown = (columns: number | undefined, headings: readonly string[], rows: readonly (readonly Cell[])[]) =>
  tableLines(headings, rows, columns).join('\n');

const publishes = [
  ['pubid-1', 'Summer sale starts today', 'news, sports, weather'],
  ['pubid-2', 'Hi', ''],
] as const;
const headings = ['publish', 'title', 'to'];

it('makes columns as wide as their content', () => {
  const rows = [
    ['\u001b[2J', '1'],
    ['a', ''],
  ] as const;
  expect(shown(undefined, ['name', 'users'], rows)).toBe('name        users\n\\u001b[2J   1\na');
});

it('cuts the widest columns where the terminal is narrower', () => {
  expect(shown(42, headings, publishes).split('\n')).toEqual([
    'publish   title            to',
    'pubid-1   Summer sale s…   news, sports,…',
    'pubid-2   Hi',
  ]);
});

it('cuts nothing where the output is piped, or the terminal wide enough', () => {
  const whole = shown(undefined, headings, publishes);
  expect(whole).toContain('pubid-1   Summer sale starts today   news, sports, weather');
  expect(shown(58, headings, publishes)).toBe(whole);
});

it.each([20, 24, 30, 42, 58, 200])('is no wider than a terminal of %i columns', (columns) => {
  for (const line of shown(columns, headings, publishes).split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
});

it('counts characters that are two columns wide as such', () => {
  const rows = [
    ['売り出しは今日からです', '1'],
    ['👩‍💻 Hi', '2'],
  ];
  expect(shown(20, ['title', 'sent'], rows).split('\n')).toEqual([
    'title           sent',
    '売り出しは今…   1',
    '👩‍💻 Hi           2',
  ]);
});

it.each<[readonly number[], number, readonly number[]]>([
  [[10, 30, 8], 100, [10, 30, 8]],
  [[10, 30, 8], 40, [10, 16, 8]],
  [[10, 30, 40], 60, [10, 22, 22]],
  [[40, 30, 40], 60, [40, 7, 7]],
  [[40, 30, 40], 40, [26, 4, 4]],
  [[40, 30, 40], 10, [4, 4, 4]],
])('fits columns of %j into %i', (widths, available, expected) => {
  expect(fitted(widths, available)).toEqual(expected);
});
