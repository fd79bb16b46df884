import { afterEach, expect, it, vi } from 'vitest';
import { ServerLogger } from './server-logger.js';

afterEach(() => void vi.restoreAllMocks());

it.each([
  ['for people', true],
  ['as JSON', false],
])('has no terminal act on what it logs %s', (_, isForPeople) => {
  vi.stubEnv('NO_COLOR', '1');
  let written = '';
  const write = (text: unknown): boolean => ((written += String(text)), true);
  vi.spyOn(process.stdout, 'write').mockImplementation(write);
  vi.spyOn(process.stderr, 'write').mockImplementation(write);
  const logger = new ServerLogger(isForPeople);
  const hostile = 'answered \u001b[2J\u009b2J\u202e\u007f';
  logger.warn(hostile, 'Webhooks');
  logger.error('an error without a stack', 'Webhooks');
  logger.error(`no ${hostile}`, `Error: ${hostile}\n    at somewhere`, 'Webhooks');
  vi.unstubAllEnvs();
  expect(written).toContain('answered \\u001b[2J\\u009b2J\\u202e\\u007f');
  expect(written.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
});
