import { expect, it } from 'vitest';
import type { DeviceAddress } from 'rookery/push-device';
import { newOutcomes } from './new-outcomes.js';
import { PageOutcome } from './page-outcome.js';

const of = (id: string) => ({ id }) as DeviceAddress;
const retryOf = (deviceId: string) => ({ deviceId, attempts: 1, dueAt: 0 });

it('of a page are those of all its devices: sent, failed, and waiting for the gateway or its answer', () => {
  const outcome = new PageOutcome();
  outcome.sent.push(of('a'));
  outcome.failed.push({ device: of('b'), reason: 'unregistered' });
  outcome.later.push({ device: of('c'), reason: 'Busy' });
  const page = { devices: ['a', 'b', 'c', 'd'].map(of), last: true };
  expect(newOutcomes({ outcome, page }, ['c', 'd'].map(retryOf), 7)).toEqual({
    of: 'page',
    at: 7,
    devices: [
      { deviceId: 'a', outcome: 'sent' },
      { deviceId: 'b', outcome: 'failed', reason: 'unregistered' },
      { deviceId: 'c', outcome: 'retrying', reason: 'Busy' },
      { deviceId: 'd', outcome: 'retrying', reason: 'Unanswered' },
    ],
  });
});

it('of retries are those that are settled, also because the device was deleted', () => {
  const outcome = new PageOutcome();
  outcome.sent.push(of('a'));
  outcome.later.push({ device: of('c'), reason: 'Busy' });
  expect(newOutcomes({ outcome, retried: ['a', 'b', 'c'] }, [retryOf('c')], 7)).toEqual({
    of: 'retries',
    at: 7,
    devices: [
      { deviceId: 'a', outcome: 'sent' },
      { deviceId: 'b', outcome: 'failed', reason: 'Deleted' },
    ],
  });
});
