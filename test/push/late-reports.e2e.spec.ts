import { expect, it, vi } from 'vitest';
import { publishOf } from 'rookery/publish';
import { TypeOrmPublishOutbox } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';

describeDatabases('a report that arrives while its publish is forgotten', ({ database }) => {
  it('leaves nothing behind', async () => {
    const outbox = new TypeOrmPublishOutbox(database());
    const publish = publishOf('00000000-0000-4000-8000-000000000001', { interests: ['a'], fcm: {} }, 0);
    const report = { publishId: publish.id, platform: 'fcm', event: 'open' } as const;
    await outbox.add(publish);
    await outbox.report({ ...report, deviceId: 'fcm-1' });

    const execute = database().execute.bind(database());
    const counted: number[] = [];
    vi.spyOn(database(), 'execute').mockImplementation(async (text, parameters) => {
      if (text.startsWith('DELETE FROM rookery_publishes')) {
        await outbox.report({ ...report, deviceId: 'fcm-2' });
        counted.push((await outbox.reports(publish.id))[0]!.count);
      }
      return execute(text, parameters);
    });
    await outbox.forget([publish.id]);
    vi.restoreAllMocks();

    expect(counted).toEqual([1]);
    expect(await outbox.reports(publish.id)).toEqual([]);
    expect(await outbox.isReported({ ...report, deviceId: 'fcm-2' })).toBe(false);
  });
});
