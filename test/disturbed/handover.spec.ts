import { generateKeyPairSync } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { beforeEach, expect, it } from 'vitest';
import { ConcurrencyLimiter, type SafeFetch, settingsOf, Sweeps } from '#common';
import { WebhookBuffer, type WebhookDelivery, webhookDelivery } from '#webhooks';
import { JobRunner, MemoryJobStore } from 'rookery/internal/jobs';
import { appFrom, type Connection, type HandledEvents } from 'rookery/internal/channels';
import { AuthorizationSettings } from '../../libs/authorization/src/authorization.options.js';
import { ConcurrentAuthorizations } from '../../libs/authorization/src/concurrent-authorizations.js';
import { PolledWork } from '../../libs/channels/src/events/polled-work.js';
import type { Announcement, AnnouncementRepository } from '../../libs/channels/src/webhooks/announcement.repository.js';
import { Announcements } from '../../libs/channels/src/webhooks/announcements.js';
import { StateReads } from '../../libs/channels/src/wings/state/state-reads.js';
import { TimedReads } from '../../libs/channels/src/wings/state/timed-reads.js';
import { SharedReads } from '../../libs/presence/src/shared-reads.js';
import { ShownNotifications } from '../../libs/notifications/src/shown-notifications.js';
import type { NotificationRepository } from '../../libs/notifications/src/store/notification.repository.js';
import { UnreadNotifier } from '../../libs/notifications/src/unread-notifier.js';
import { ProviderToken } from '../../libs/publish/src/delivery/apns/provider-token.js';
import { AccessToken } from '../../libs/publish/src/delivery/fcm/access-token.js';
import { ProjectQuota } from '../../libs/publish/src/delivery/fcm/project-quota.js';
import { until } from '../support/until.js';

// Those that work one at a time, or so many at once, with callers that come at each moment after the work before has
// ended: none waits for another caller to wake it, and none overtakes those that wait.

/** Each queue of callers that continue after a promise is shorter than this. */
const moments = 12;
/** How many portions of a second's messages a process takes. */
const portions = 20;

beforeEach(() => Logger.overrideLogger(false));

/** Waits for so many turns of the queue of promises. */
async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await Promise.resolve();
}

/** Something that works when it is called: it tells of the work that it does, which ends when the test lets it. */
type Starts = (works: (names: readonly string[]) => Promise<void>) => (name: string) => unknown;

const app = appFrom({ id: 'app', key: 'k', secret: 's' });
const announced = ({ channel }: Announcement): string => channel;

const single: readonly [string, Starts][] = [
  [
    'shown notifications',
    (works) => {
      const shown = new ShownNotifications({
        shown: (_: string, id: string) => works([id]),
      } as unknown as NotificationRepository);
      return (name) => shown.add('app', name);
    },
  ],
  [
    'the number of unread notifications',
    (works) => {
      const repository = { unread: async () => 1 } as unknown as NotificationRepository;
      const events = {
        check: (_: unknown, __: unknown, { data }: { data: { withdrawn: readonly string[] } }) => data.withdrawn,
        send: (_: unknown, names: readonly string[]) => works(names),
      } as unknown as HandledEvents;
      const notifier = new UnreadNotifier(repository, events, { isShared: false });
      return (name) => notifier.notify(app, 'ann', [name]);
    },
  ],
  [
    'webhooks that wait for the outbox',
    (works) => {
      const send = async (deliveries: readonly WebhookDelivery[]) => {
        await works(deliveries.map(({ body }) => body));
        return { dropped: 0 };
      };
      const buffer = new WebhookBuffer({ send, lost: () => {} }, new Logger());
      const request = { owner: 'app', url: 'https://a/', headers: {} };
      return (body) => buffer.add([webhookDelivery({ ...request, body }, Date.now())]);
    },
  ],
  [
    'announcements of webhooks',
    (works) => {
      const save = (changes: readonly Announcement[]) => works(changes.map(announced));
      const announcements = new Announcements({ save } as unknown as AnnouncementRepository);
      return (channel) => announcements.save({ appId: 'app', channel, userId: '', isThere: true });
    },
  ],
  [
    'polled work',
    (works) => {
      const waiting: string[] = [];
      const work = new PolledWork(
        async () => {
          if (waiting.length > 0) await works(waiting.splice(0));
        },
        () => {},
      );
      work.start(1_000_000, () => undefined, 0);
      return (name) => {
        waiting.push(name);
        work.wake();
      };
    },
  ],
  [
    'a runner of jobs',
    (works) => {
      const store = new MemoryJobStore();
      const run = async ({ job }: { job: { id: string } }) => {
        await works([job.id]);
        return { outcome: 'done' } as const;
      };
      const runner = new JobRunner(store, {
        jobs: 'jobs',
        run,
        concurrency: 1,
        perKey: 1,
        leaseMs: 60_000,
        pollMs: 1_000_000,
      });
      return async (id) => {
        await store.add([{ id, owner: 'app', key: 'key', dueAt: 0, data: '', state: '' }]);
        runner.wake();
      };
    },
  ],
];

it.each(single)('%s: a call at each moment after the work before is not left behind', async (_, starts) => {
  for (let moment = 0; moment < moments; moment++) {
    const done: string[] = [];
    let end = (): void => {};
    let isFirst = true;
    const call = starts(async (names) => {
      if (isFirst) {
        isFirst = false;
        await new Promise<void>((resolve) => (end = resolve));
      }
      done.push(...names);
    });
    void call('first');
    await until(() => !isFirst, 'the first has begun');
    end();
    await turns(moment);
    void call('second');
    await until(() => done.includes('second'), `the second is done, ${moment} moments after the first`);
    void call('third');
    await until(() => done.includes('third'), 'the third is done');
  }
});

const connection = { app, socketId: '1.1' } as Connection;

/** Lets so many work at once. */
type Slots = (count: number) => (who: string, work: () => Promise<void>) => Promise<unknown>;

const slots: readonly [string, Slots][] = [
  [
    'authorizations',
    (concurrency) => {
      const own = new ConcurrentAuthorizations(settingsOf(AuthorizationSettings, { concurrency }));
      return (_, work) => own.runInTurn(connection, work);
    },
  ],
  [
    'reads of states',
    (count) => {
      const own = new TimedReads(count, 60_000);
      return (_, work) => own.run('app', 'one', work);
    },
  ],
  [
    'sends to a platform',
    (most) => {
      const own = new ConcurrencyLimiter(most).of('instance');
      return async (_, work) => {
        await own.take();
        await work().finally(() => own.give());
      };
    },
  ],
];

it.each(slots)(
  '%s: callers that come at each moment have their turn in their order, and no more at once',
  async (_, of) => {
    for (const count of [1, 2, 3])
      for (let moment = 0; moment < moments; moment++) {
        const run = of(count);
        const begun: string[] = [];
        let [working, most] = [0, 0];
        const ends: (() => void)[] = [];
        const all: Promise<unknown>[] = [];
        const call = (name: string): void =>
          void all.push(
            run(name, async () => {
              begun.push(name);
              most = Math.max(most, ++working);
              await new Promise<void>((resolve) => ends.push(resolve));
              working -= 1;
            }),
          );
        const names = Array.from({ length: count + 3 }, (__, n) => `early ${n}`);
        names.forEach(call);
        await until(() => ends.length === count, 'all slots are taken');
        // One is asked for already when a slot becomes free, and comes before those that were let in have gone on.
        const comes = turns(moment).then(() => call('late'));
        ends.shift()!();
        await comes;
        call('later');
        while (ends.length > 0 || begun.length < names.length + 2) {
          await until(() => ends.length > 0, 'the next has begun');
          ends.shift()!();
        }
        await Promise.all(all);
        expect(begun, `${count} slots, ${moment} moments`).toEqual([...names, 'late', 'later']);
        expect(most).toBe(count);
      }
  },
);

it.each([1, 3])(
  'a quota of messages, %i at a time: each call at each moment takes one that was granted',
  async (atOnce) => {
    for (let moment = 0; moment < moments; moment++) {
      let [asked, taken] = [0, 0];
      let end = (): void => {};
      const rates = {
        take: async () => {
          asked += 1;
          await new Promise<void>((resolve) => (end = resolve));
          return 0;
        },
        giveBack: () => {},
      };
      // Twenty portions a second.
      const quota = new ProjectQuota('project', atOnce * portions * 60, rates);
      const take = async (): Promise<void> => {
        await quota.take();
        taken += 1;
        expect(taken).toBeLessThanOrEqual(asked * atOnce);
      };
      const all = Array.from({ length: atOnce + 1 }, take);
      await until(() => asked === 1, 'a portion is asked for');
      end();
      await turns(moment);
      all.push(take());
      for (let n = 0; n < 3; n++) {
        await new Promise(setImmediate);
        end();
      }
      await Promise.all(all);
      // None was asked for before the one before was used up.
      expect(asked).toBe(Math.ceil((atOnce + 2) / atOnce));
    }
  },
);

/** Tokens of a gateway: `ask` is called for each request, or signature, of a new one. */
interface Token {
  current(): string | Promise<string>;
  renewed(refused: string): unknown;
}

it('the access token of Google: a call at each moment after a request shares its answer, and none is asked for twice', async () => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const account = { client_email: 'robot@example.com', private_key: privateKey, project_id: 'project' };
  for (let moment = 0; moment < moments; moment++) {
    let asked = 0;
    const ends: ((status: number) => void)[] = [];
    const fetch = {
      request: async () => {
        const token = ++asked;
        const status = await new Promise<number>((resolve) => ends.push(resolve));
        return { status, headers: {}, body: JSON.stringify({ access_token: String(token), expires_in: 3600 }) };
      },
    };
    const token: Token = new AccessToken(account, fetch as unknown as SafeFetch, () => 0);
    const early = [token.current(), token.current()];
    await until(() => ends.length === 1, 'it is asked for');
    ends.shift()!(200);
    await turns(moment);
    expect(await Promise.all([...early, token.current()])).toEqual(Array(3).fill('Bearer 1'));
    // Several sends were refused with the same token, and one comes late.
    const refused = [token.renewed('Bearer 1'), token.renewed('Bearer 1')];
    await until(() => ends.length === 1, 'a newer one is asked for');
    ends.shift()!(200);
    await turns(moment);
    expect(await Promise.all([...refused, token.renewed('Bearer 1'), token.current()])).toEqual(
      Array(4).fill('Bearer 2'),
    );
    expect(asked).toBe(2);
  }
});

it('the provider token of Apple: a call at each moment after a refusal gets the newer one', async () => {
  const { privateKey: key } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  for (let moment = 0; moment < moments; moment++) {
    let now = 3_600_000;
    const token = new ProviderToken({ key, keyId: 'K', teamId: 'T' }, () => now);
    const [first, same] = await Promise.all([token.current(), token.current()]);
    expect(same).toBe(first);
    now += 60_000;
    const refused = token.renewed(first);
    await turns(moment);
    const late = [token.renewed(first), token.current()];
    const newer = await refused;
    expect(newer).not.toBe(first);
    expect(await Promise.all([...late, token.renewed(first), token.current()])).toEqual(Array(4).fill(newer));
    // Apple would answer 429 to another.
    expect(await token.renewed(newer!)).toBeUndefined();
    expect(await token.current()).toBe(newer);
  }
});

it('turns of the event loop: callers that come at each moment have their turn in their order', async () => {
  for (let moment = 0; moment < moments; moment++) {
    const [turn, passed] = [new ConcurrencyLimiter(2).of('one'), [] as string[]];
    const call = async (name: string): Promise<void> => {
      await turn.takeTurn();
      passed.push(name);
    };
    const names = Array.from({ length: 7 }, (_, n) => `early ${n}`);
    const all = names.map(call);
    await new Promise(setImmediate);
    await turns(moment);
    await Promise.all([...all, call('late')]);
    expect(passed).toEqual([...names, 'late']);
  }
});

/** Reads what has changed, and answers what was read. */
type Reads = (read: () => Promise<string>) => () => Promise<string>;

const reads: readonly [string, Reads][] = [
  [
    'rosters',
    (read) => {
      const own = new SharedReads<string>();
      return async () => own.of('key', read);
    },
  ],
  [
    'states',
    (read) => {
      const own = new StateReads(0, (_, begin) => begin());
      return async () => {
        // An event has arrived since.
        own.passed('1');
        return (await own.snapshot('one', async () => [await read()])).texts[0]!;
      };
    },
  ],
];

it.each(reads)('reads of %s: a call at each moment gets what was read after it', async (_, of) => {
  for (let moment = 0; moment < moments; moment++) {
    let version = 0;
    const ends: (() => void)[] = [];
    const read = of(async () => {
      const seen = version;
      await new Promise<void>((resolve) => ends.push(resolve));
      return String(seen);
    });
    const asked: Promise<void>[] = [];
    const ask = (): void => {
      const least = ++version;
      asked.push(read().then((seen) => expect(Number(seen)).toBeGreaterThanOrEqual(least)));
    };
    ask();
    ask();
    await until(() => ends.length === 1, 'the first is under way');
    const comes = turns(moment).then(ask);
    ends.shift()!();
    await comes;
    ask();
    const all = Promise.all(asked);
    // Of four calls, the last is answered by the third read at the latest.
    for (let n = 0; n < 10; n++) {
      ends.splice(0).forEach((end) => end());
      await new Promise(setImmediate);
    }
    await all;
  }
});

it('a sweep that is wanted after the one before is not left behind', async () => {
  for (let moment = 0; moment < moments; moment++) {
    let swept = 0;
    const sweeps = new Sweeps(async () => void swept++, 1_000_000, new Logger(), 'no');
    sweeps.wake();
    await until(() => swept === 1, 'the first sweep');
    await new Promise(setImmediate);
    await turns(moment);
    sweeps.wake();
    await until(() => swept === 2, 'the second sweep');
    await sweeps.stop();
    sweeps.wake();
    expect(swept).toBe(2);
  }
});
