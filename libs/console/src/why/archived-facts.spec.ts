import { expect, it } from 'vitest';
import type { Activity } from '../contract/index.js';
import type { ReadBlock, TraceArchive } from '../watch/trace-archive.js';
import type { Step } from '../watch/trace-answers.js';
import { ArchivedFacts } from './archived-facts.js';
import type { DeliveryFacts, SocketFacts } from '../watch/delivery-facts.js';
import { verdictOf } from './verdict.js';

const channel = 'news';
const event = `9@${channel}`;
const question = { appId: 'shop', event, userId: 'ann' };
const minute = 60_000;

const sentAt = (at: number): Activity => ({ id: event, at, node: 'new', kind: 'event', channel });

/** What the process that runs now knows: the event, and none of the connections. */
const now = (at: number): DeliveryFacts => ({
  node: 'new',
  event: sentAt(at),
  sockets: [],
  elsewhere: [],
  connectedElsewhere: [],
  since: 5 * minute,
  eventsSince: 0,
  skippedAt: 0,
});

const step = (order: number, kind: Activity['kind'], more: Partial<Activity> = {}): Step => ({
  order,
  activity: { id: `old-${order}`, at: order, node: 'old', kind, socketId: '1.1', ...more },
});

/** An archive of a process that recorded these steps, and stored its last block at a time. */
function archiveUntil(until: number, steps: readonly Step[]): ArchivedFacts {
  const lines = steps.map((each) => ({ appId: 'shop', step: each }));
  const archive = {
    isOn: true,
    async *blocks(): AsyncGenerator<ReadBlock> {
      yield { node: 'old', since: 0, until, hasGap: false, lines };
    },
  };
  return new ArchivedFacts(archive as unknown as TraceArchive);
}

const subscribed = [step(1, 'connected'), step(2, 'signed_in', { userId: 'ann' }), step(3, 'subscribed', { channel })];

const socketIn = (all: readonly DeliveryFacts[]): SocketFacts => all.flatMap(({ sockets }) => sockets)[0]!;

async function verdict(at: number, until: number, { steps = subscribed, missing = 0, node = 'new' } = {}) {
  const all = await archiveUntil(until, steps).addedTo([{ ...now(at), node }], question, missing);
  return verdictOf({ channel, position: '9', sent: all[0]!.event }, socketIn(all));
}

it('a connection has ended with its process, which stored nothing for minutes and does not answer', async () => {
  expect(await verdict(10 * minute, 2 * minute)).toMatchObject({
    verdict: 'not_delivered',
    reason: 'closed_before',
    at: 2 * minute,
    text: expect.stringMatching(
      /^It was last here at \{at\}, and subscribed to news until then: Its process ended/,
    ) as string,
  });
});

it('whether it had ended is unknown soon after the last block, and where a process does not answer', async () => {
  expect(await verdict(2 * minute + 30_000, 2 * minute)).toMatchObject({ verdict: 'unknown' });
  expect(await verdict(10 * minute, 2 * minute, { missing: 1 })).toMatchObject({ verdict: 'unknown' });
});

it('one of a process that runs has not ended with it', async () => {
  expect(await verdict(10 * minute, 2 * minute, { node: 'old' })).toMatchObject({ verdict: 'unknown' });
});

it('one that was closed ended then', async () => {
  const steps = [...subscribed, step(4, 'disconnected', { message: 'It left', code: 1000 })];
  expect(await verdict(10 * minute, 2 * minute, { steps })).toMatchObject({ reason: 'closed_before', at: 4 });
});
