// A push service in a process of its own: `fork('push-service.ts', ['apns' | 'fcm' | 'web'])`. Sends the parent what it
// needs to send here, answers `usage` with the CPU time and the notifications it has taken.
import { standInApns, standInFcm, standInWebPush } from '../../test/support/stand-ins/index.js';

/** What the parent gets first. */
export interface PushService {
  readonly credentials: object;
  readonly tokens: readonly string[];
}
/** What it gets for `usage`. */
export interface PushServiceUsage {
  readonly count: number;
  readonly cpuSeconds: number;
}

const distinctTokens = 1000;
const options = { record: false, delayMs: Number(process.env.DELAY_MS ?? 0) };

const start = {
  apns: () => standInApns(options),
  fcm: () => standInFcm(options),
  web: () => standInWebPush(options),
};

const platform = process.argv[2] as keyof typeof start;
const standIn = await start[platform]();
const tokens = Array.from({ length: distinctTokens }, (_, i) =>
  'subscribe' in standIn ? standIn.subscribe().token : i.toString(16).padStart(64, 'a'),
);
process.send?.({ credentials: standIn.credentials, tokens } satisfies PushService);
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ count: standIn.count, cpuSeconds: (user + system) / 1e6 } satisfies PushServiceUsage);
});
process.on('disconnect', () => process.exit());
