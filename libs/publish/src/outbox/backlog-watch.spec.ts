import { beforeEach, expect, it } from 'vitest';
import { settingsOf } from '#common';
import { PublishMetrics } from '../metrics.js';
import { PublishSettings } from '../publish.options.js';
import { publishOf } from '../publish.js';
import { BacklogWatch } from './backlog-watch.js';
import { MemoryPublishOutbox } from './memory-publish.outbox.js';

const maxWaitingPublishes = 3;
let now: number;
let outbox: MemoryPublishOutbox;
let watch: BacklogWatch;
beforeEach(() => {
  now = 1_700_000_000_000;
  outbox = new MemoryPublishOutbox();
  const settings = settingsOf(PublishSettings, { maxWaitingPublishes });
  watch = new BacklogWatch(outbox, settings, () => now, new PublishMetrics());
});

/** Makes ten publishes at one moment. @returns how many were accepted */
async function publishTen(): Promise<number> {
  let accepted = 0;
  for (let n = 0; n < 10; n++) {
    const isAccepted = await watch.assertRoom().then(
      () => true,
      () => false,
    );
    if (isAccepted) await outbox.add(publishOf('instance', { interests: ['news'], fcm: {} }, now));
    accepted += isAccepted ? 1 : 0;
  }
  return accepted;
}

/** Sends all that wait. */
async function sendAll(): Promise<void> {
  const claim = { id: `claim at ${now}`, now, limit: 100, perKey: 1, busy: new Set<string>(), leaseMs: 1000 };
  for (const job of await outbox.jobs.claim(claim)) await outbox.finish(job, now);
}

it('accepts as many publishes as may wait, again and again, each time the earlier ones were sent', async () => {
  for (let round = 0; round < 5; round++) {
    expect(await publishTen()).toBe(maxWaitingPublishes);
    now += 1000;
    expect(await publishTen()).toBe(0);
    await sendAll();
    now += 1000;
  }
});

it('counts publishes that it has just accepted before it reads the backlog again', async () => {
  const rooms = await Promise.allSettled(Array.from({ length: 10 }, () => watch.assertRoom()));
  expect(rooms.filter(({ status }) => status === 'fulfilled')).toHaveLength(maxWaitingPublishes);
});
