import { expect, it } from 'vitest';
import { asJson, asMarkdown, asTable } from './report.js';
import type { Result } from './run.js';

it('keeps what a server has answered on the line of its case', () => {
  const note = 'it answered "a\n\u001b[2Jpassed: forged\r\u2028b\u0085c"';
  const result = { id: 'http-api/event', title: 'Answers', source: 'api', outcome: 'failed', note, durationMs: 1 };
  const lines = asTable([result as Result]).split(/[\n\r\u2028\u0085]/);
  expect(lines.slice(-4)).toEqual([
    'failed: http-api/event',
    '  Answers.',
    '  it answered "a\\n\\u001b[2Jpassed: forged\\r b c"',
    '  api',
  ]);
});

it('escapes in JSON what would steer a terminal, which changes no value', () => {
  const note = 'it answered "\u009b2J\u202eb\u2028"\n';
  const results = [{ id: 'http-api/event', title: 'Answers', source: 'api', outcome: 'failed', note, durationMs: 1 }];
  const json = asJson(results as Result[]);
  expect(json).not.toMatch(/[\u0080-\u009f\u2028\u202e]/);
  expect(JSON.parse(json)).toEqual(results);
});

it('makes a table for documents, with the server, the version of the suite and the date', () => {
  const result = { title: 'Answers', source: 'api', note: '', durationMs: 1 };
  const results = [
    { ...result, id: 'http-api/event', outcome: 'passed' },
    { ...result, id: 'http-api/batch', outcome: 'failed' },
    { ...result, id: 'cache/miss', outcome: 'skipped' },
  ];
  const text = asMarkdown(results as Result[], { name: 'soketi 1.6.1', on: new Date('2026-11-30T23:00:00Z') });
  expect(text.split('\n')).toEqual([
    expect.stringMatching(/^soketi 1\.6\.1, judged by @rookery\/conformance \S+ on 2026-11-30:$/),
    '',
    '|  | passed | failed | dialect | wording | skipped |',
    '| --- | ---: | ---: | ---: | ---: | ---: |',
    '| http-api | 1 | 1 | 0 | 0 | 0 |',
    '| cache | 0 | 0 | 0 | 0 | 1 |',
    '| all | 1 | 1 | 0 | 0 | 1 |',
  ]);
});
