import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { logLevels } from './config/config.js';
import { ServerLogger } from './server-logger.js';

let written = '';
beforeEach(() => {
  written = '';
  const write = (text: unknown): boolean => ((written += String(text)), true);
  vi.spyOn(process.stdout, 'write').mockImplementation(write);
  vi.spyOn(process.stderr, 'write').mockImplementation(write);
  vi.stubEnv('NO_COLOR', '1');
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

it.each([
  ['for people', true],
  ['as JSON', false],
])('has no terminal act on what it logs %s', (_, isForPeople) => {
  const logger = new ServerLogger('info', isForPeople);
  const hostile = 'answered \u001b[2J\u009b2J\u202e\u007f';
  logger.warn(hostile, 'Webhooks');
  logger.error('an error without a stack', 'Webhooks');
  logger.error(`no ${hostile}`, `Error: ${hostile}\n    at somewhere`, 'Webhooks');
  expect(written).toContain('answered \\u001b[2J\\u009b2J\\u202e\\u007f');
  expect(written.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
});

/** What a line of each kind says. */
const lines = {
  route: (logger: ServerLogger) => logger.log('Mapped {/metrics, GET} route', 'RouterExplorer'),
  detail: (logger: ServerLogger) => logger.debug('asked for nothing', 'Storage'),
  fact: (logger: ServerLogger) => logger.log('Database: SqliteDatabase', 'Storage'),
  warning: (logger: ServerLogger) => logger.warn('the disk is nearly full', 'Storage'),
  fault: (logger: ServerLogger) => logger.error('the disk is full', 'Storage'),
};
type Kind = keyof typeof lines;

/** The kinds that it logs of all. */
function kindsOf(logger: ServerLogger): readonly string[] {
  return Object.keys(lines).filter((kind) => {
    written = '';
    lines[kind as Kind](logger);
    return written !== '';
  });
}

describe.each([
  ['on a terminal', true],
  ['as JSON', false],
])('%s', (_, isForPeople) => {
  it.each([
    ['error', ['fault']],
    ['warn', ['warning', 'fault']],
    ['info', ['fact', 'warning', 'fault']],
    ['debug', ['route', 'detail', 'fact', 'warning', 'fault']],
  ] as const)("logs at the level %s its lines, and Nest's only at the last", (level, kinds) => {
    expect(kindsOf(new ServerLogger(level, isForPeople))).toEqual(kinds);
  });
});

describe('while the server starts', () => {
  const whileStarting = (logger: ServerLogger) => logger.starting(() => Promise.resolve(kindsOf(logger)));

  it('a terminal shows only warnings during the start, and facts again afterwards', async () => {
    const logger = new ServerLogger('info', true);
    expect(await whileStarting(logger)).toEqual(['warning', 'fault']);
    expect(kindsOf(logger)).toEqual(['fact', 'warning', 'fault']);
  });

  it('JSON has a line for each fact', async () => {
    expect(await whileStarting(new ServerLogger('info', false))).toEqual(['fact', 'warning', 'fault']);
  });

  it.each(logLevels)('shows no more than at the level %s', async (level) => {
    const logger = new ServerLogger(level, true);
    expect(kindsOf(logger)).toEqual(expect.arrayContaining([...(await whileStarting(logger))]));
  });

  it('everything is shown at debug', async () => {
    expect(await whileStarting(new ServerLogger('debug', true))).toHaveLength(Object.keys(lines).length);
  });
});
