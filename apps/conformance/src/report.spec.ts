import { expect, it } from 'vitest';
import { asJson, asTable } from './report.js';
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
