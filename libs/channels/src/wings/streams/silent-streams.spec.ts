import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { MemoryRequestRates } from '#common';
import type { Apps } from '../../access/apps.js';
import { appFrom } from '../../app/app.js';
import type { Topic } from '../../broker/broker.js';
import { ChannelsSettings } from '../../channels.options.js';
import type { EventSender } from '../../events/event-sender.js';
import { Throttle } from '../../throttle.js';
import type { Streamed } from './channel-streams.js';
import type { LiveStreams } from './live-streams.js';
import { SilentStreams } from './silent-streams.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('ends a silent stream once for all processes, which notice the silence within its timeout', async () => {
  const settings = new ChannelsSettings();
  const timeoutMs = settings.streams.timeoutSeconds * 1000;
  const rates = new MemoryRequestRates();
  const sent: string[] = [];
  const sender = { send: async () => void sent.push('end') };
  const notices: ((topic: Topic, stream: Streamed) => void)[] = [];
  for (let process = 0; process < 3; process++) {
    const live = { whenSilent: (notice: (typeof notices)[number]) => void notices.push(notice) };
    new SilentStreams(
      live as unknown as LiveStreams,
      { findById: () => appFrom({ id: 'app', key: 'key', secret: 'secret' }) } as unknown as Apps,
      sender as unknown as EventSender,
      new Throttle(rates),
      settings,
    ).onModuleInit();
  }
  const stream: Streamed = { event: 'answer', id: 'one', text: '', end: undefined, message: undefined };
  for (const notice of notices) {
    notice({ appId: 'app', channel: 'chat' }, stream);
    await vi.advanceTimersByTimeAsync(0.4 * timeoutMs);
  }
  expect(sent).toEqual(['end']);
  await vi.advanceTimersByTimeAsync(timeoutMs);
  notices[0]!({ appId: 'app', channel: 'chat' }, stream);
  await vi.advanceTimersByTimeAsync(0);
  expect(sent).toEqual(['end', 'end']);
});
