import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { ConsoleModule } from '@rookery/console';
import { request } from '@rookery/client';
import { EventsService } from 'rookery/channels';
import { activityLine } from '../../apps/console/src/live/summary-words.js';
import type { Activity } from '../../libs/console/src/contract/index.js';
import { ConsoleClient } from '../support/console-client.js';
import { joined } from '../support/pusher-js.js';
import { testApp } from '../support/test-app.js';
import { typed } from '../support/typed-command.js';
import { Games, startGames } from './game-host.js';

const password = 'a password for tests';
const channel = 'presence-game.7';
const path = `apps/${testApp.id}`;
let host: Awaited<ReturnType<typeof startGames>>;
let viewer: ConsoleClient;
beforeAll(async () => {
  const console_ = ConsoleModule.forRoot({ password });
  host = await startGames({ requests: { timeoutMs: 200, underWay: 1 } }, [Games], undefined, [console_]);
  viewer = new ConsoleClient(host.port, password);
});
afterEach(() => {
  host.disconnect();
  host.games().moves.length = 0;
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});
afterAll(async () => {
  viewer.close();
  await host.close();
});

/** Live's line of an activity, but for how long a reply took. */
const lineOf = (activity: object): string => withoutTime(activityLine(activity as Activity));
const withoutTime = (line: string): string => line.replace(/answered in \d+ ms$/, 'answered in … ms');

it('shows in Live what was asked, by whom, and how it ended', async () => {
  const view = await viewer.live(testApp.id, '?kinds=request');
  const alice = host.connect('alice');
  const game = await joined(alice, channel);
  const { socket_id: socketId } = alice.connection;
  host.games().gate = new Promise(() => {});
  await request(game, 'move', { field: 4 });
  await request(game, 'move', { field: 4 }).catch(() => {});
  await request(alice, 'x'.repeat(300)).catch(() => {});
  const both = [request(alice, 'wait'), request(alice, 'echo')];
  await Promise.allSettled(both);
  await view.next('request', { name: 'wait' });
  const own = view.told.filter((each) => each['socketId'] === socketId);
  expect(own.map(lineOf)).toEqual([
    `request ${channel} move  answered in … ms`,
    `request ${channel} move  refused with 409: This field is taken`,
    `request ${'x'.repeat(300)}  refused with 404: Nothing answers '${'x'.repeat(200)}'`,
    'request echo  refused with 429: Too many requests',
    'request wait  failed with 504: No reply within 200 ms',
  ]);
  expect(own[0]).toMatchObject({ channel, userId: 'alice', ms: expect.any(Number) as number });
  expect(own.at(-1)!['ms']).toBeGreaterThanOrEqual(200);
});

it('shows in "Why?", and by `rookery why`, what a connection asked before and after an event', async () => {
  const alice = host.connect('alice');
  const game = await joined(alice, channel);
  await request(game, 'move', { field: 4 });
  await host.app.get(EventsService).trigger(testApp.id, { name: 'moved', channel, data: '4' });
  await request(game, 'move', { field: 4 }).catch(() => {});
  const { activities } = await viewer.get(`${path}/recent?kinds=event&text=moved`);
  const { id } = activities[0];
  const asked = ['why', id as string, '--socket', alice.connection.socket_id, '--url', `http://127.0.0.1:${host.port}`];
  vi.stubEnv('CONSOLE_PASSWORD', password);
  const { stdout, code } = await typed(asked);
  const steps = stdout.split('\n').flatMap((line) => /^ {2}[\d:.]+ {2}(.*)/.exec(line)?.[1] ?? []);
  expect(code).toBe(0);
  expect(steps.map(withoutTime)).toEqual([
    'Connected',
    `Subscribed to ${channel}`,
    'Asked move: answered in … ms',
    `moved was sent to ${channel}`,
    'The process of this connection sent the event to its subscribers',
    'Asked move: refused with 409: This field is taken',
  ]);
});
