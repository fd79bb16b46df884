import { describe, expect, it } from 'vitest';
import { run, type Work } from 'rookery/internal/typeorm';
import { useSqlite } from '../support/databases.js';

describe('concurrent writes', () => {
  const { database } = useSqlite();

  const note = (text: string, more: () => void = () => undefined) =>
    database().write(function* (): Work<string> {
      yield* run('INSERT INTO notes (text) VALUES (?)', [text]);
      more();
      return text;
    });
  const notes = async () => (await database().read<{ text: string }>('SELECT text FROM notes')).map(({ text }) => text);

  it('are each committed or rolled back separately', async () => {
    await database().execute('CREATE TABLE notes (text text PRIMARY KEY)');
    const outcomes = await Promise.allSettled([
      note('first'),
      note('undone', () => {
        throw new Error('changed its mind');
      }),
      note('first'),
      note('last'),
    ]);
    expect(
      outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : String(outcome.reason))),
    ).toEqual(['first', 'Error: changed its mind', expect.stringContaining('UNIQUE constraint failed'), 'last']);
    expect(await notes()).toEqual(['first', 'last']);
  });

  it('run in order, and see earlier writes', async () => {
    const order: string[] = [];
    await Promise.all(['a', 'b', 'c'].map((text) => note(text, () => order.push(text))));
    expect(order).toEqual(['a', 'b', 'c']);
    const seen = await Promise.all([
      note('d'),
      database().write(function* (): Work<number> {
        return (yield* run(`SELECT 1 FROM notes WHERE text = 'd'`)).length;
      }),
    ]);
    expect(seen).toEqual(['d', 1]);
  });

  it('do not block the process for long', async () => {
    let turns = 0;
    let isWriting = true;
    const countTurns = () => void (isWriting && ++turns && setImmediate(countTurns));
    setImmediate(countTurns);
    await Promise.all(Array.from({ length: 5000 }, (_, number) => note(`many ${number}`)));
    isWriting = false;
    expect(turns).toBeGreaterThan(1);
    expect((await notes()).filter((text) => text.startsWith('many'))).toHaveLength(5000);
  });

  it('fail together, with the reason, if the database is closed', async () => {
    await database().dataSource.destroy();
    const outcomes = await Promise.allSettled([note('too'), note('late')]);
    await database().dataSource.initialize();
    for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(Error) });
  });
});
