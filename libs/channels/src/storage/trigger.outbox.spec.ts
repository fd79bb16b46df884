import { expect, it } from 'vitest';
import { NoTriggerOutbox } from './trigger.outbox.js';

it('names the line to write where there is no database, and has nothing to relay', async () => {
  const outbox = new NoTriggerOutbox();
  await expect(outbox.add([], { transaction: {} })).rejects.toThrow('triggerOutbox: TypeOrmTriggerOutbox');
  expect(await outbox.claim()).toEqual([]);
  expect(await outbox.backlog()).toEqual({ events: 0 });
});
