// A push service in a process of its own: `fork('push-service.ts', ['apns' | 'fcm' | 'web'])`. Sends the parent what it
// needs to send here; answers every message with the number of notifications that it has taken.
import { standInApns, standInFcm, standInWebPush } from '../../test/support/stand-ins/index.js';

/** What the parent gets first. */
export interface PushService {
  readonly credentials: object;
  readonly tokens: readonly string[];
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
process.on('message', () => process.send?.(standIn.count));
process.on('disconnect', () => process.exit());
