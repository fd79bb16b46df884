import { expect, it } from 'vitest';
import { asTable } from './report.js';
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
