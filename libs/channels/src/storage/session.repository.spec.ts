import { expect, it } from 'vitest';
import { weightOfPosition, weightOfSession, withConnection } from './session.repository.js';

const known = ['8', '7', '6', '5', '4', '3', '2', '1'];

it.each<[string, readonly string[] | undefined, readonly string[]]>([
  ['the latest', undefined, ['new', '8', '7', '6', '5', '4', '3', '2']],
  ['one between two others', ['5', '4'], ['8', '7', '6', 'new', '5', '4', '3', '2']],
  ['the earliest', [], ['8', '7', '6', '5', '4', '3', '2', 'new']],
])('remembers the latest eight connections of a session, with %s', (_, earlier, expected) => {
  expect(withConnection(known, 'new', earlier)).toEqual(expected);
});

it('weighs the names that clients choose', () => {
  const [short, long] = [
    { appId: 'app', key: 'k', id: 'i' },
    { appId: 'app', key: 'k'.repeat(100), id: 'i'.repeat(200) },
  ];
  expect([weightOfSession(short), weightOfSession(long)]).toEqual([516, 1112]);
  expect([weightOfPosition('c'), weightOfPosition('c'.repeat(200))]).toEqual([130, 528]);
});
