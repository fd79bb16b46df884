import { expect, it } from 'vitest';
import { journalFinding } from './database.js';

it('tells which SQLite there is, and of one with the WAL-reset bug what that means', () => {
  expect(journalFinding({ version: '3.53.4', mode: 'wal', hasBug: false })).toEqual({
    state: 'ok',
    about: 'database',
    text: 'SQLite 3.53.4, journal mode wal',
  });
  expect(journalFinding({ version: '3.49.1', mode: 'truncate', hasBug: true })).toMatchObject({
    state: 'note',
    text: expect.stringMatching(/^SQLite 3\.49\.1 can corrupt a WAL database .*rollback journal.*newer Node/),
  });
});
