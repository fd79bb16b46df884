import { raised, withRoom } from './converted-config.js';
import type { OtherSettings } from './other-settings.js';
import { amount } from './values.js';

/** A limit that each app of soketi may override, while Rookery has one for all apps. */
interface CommonLimit {
  readonly ofApp: string;
  readonly ofAll: string;
  readonly to: string;
  readonly byDefault: number;
  /** How many of our units are one of soketi's. */
  readonly unit?: number;
}

const eventsPerBatch = 10;

const commonLimits: readonly CommonLimit[] = [
  {
    ofApp: 'maxPresenceMemberSizeInKb',
    ofAll: 'presence.maxMemberSizeInKb',
    to: 'presenceUserBytes',
    byDefault: 2048,
    unit: 1024,
  },
  { ofApp: 'maxChannelNameLength', ofAll: 'channelLimits.maxNameLength', to: 'channelNameLength', byDefault: 200 },
  { ofApp: 'maxEventChannelsAtOnce', ofAll: 'eventLimits.maxChannelsAtOnce', to: 'channelsPerTrigger', byDefault: 100 },
  { ofApp: 'maxEventNameLength', ofAll: 'eventLimits.maxNameLength', to: 'eventNameLength', byDefault: 200 },
  { ofApp: 'maxEventBatchSize', ofAll: 'eventLimits.maxBatchSize', to: 'eventsPerBatch', byDefault: eventsPerBatch },
];

/** Limits by Rookery's names. */
type Limits = Readonly<Record<string, number | undefined>>;

/** The common limits that an app overrides. */
export function overriddenBy(app: OtherSettings, note: (text: string) => void): Limits {
  const own = commonLimits.map(({ ofApp, to, unit }) => ({ ofApp, to, limit: app.read(ofApp, amount(unit)) }));
  for (const { ofApp, to, limit } of own)
    if (limit !== undefined)
      note(`${ofApp} is one limit for all apps here: channels.limits.${to} is the largest of them`);
  return Object.fromEntries(own.map(({ to, limit }) => [to, limit]));
}

/** The limits of the module, which all apps share. Where soketi's are looser by default, they stay so. */
export function sharedLimits(settings: OtherSettings, apps: readonly Limits[], largestEventBytes: number): Limits {
  const common: Limits = Object.fromEntries(
    commonLimits.map(({ ofAll, to, unit, byDefault }) => {
      const set = [settings.read(ofAll, amount(unit)), ...apps.map((app) => app[to])];
      const isDefault = set.every((limit) => limit === undefined) && to !== 'presenceUserBytes';
      return [to, isDefault ? undefined : Math.max(set[0] ?? byDefault, ...set.map((limit) => limit ?? 0))];
    }),
  );
  const requestBytes = settings.read('httpApi.requestLimitInMb', amount(1_048_576));
  // Escaped in JSON, an event may take twice its size.
  const needed = 2 * largestEventBytes * (common['eventsPerBatch'] ?? eventsPerBatch);
  return {
    ...common,
    requestBytes:
      requestBytes === undefined ? raised('requestBytes', needed) : Math.max(requestBytes, withRoom(largestEventBytes)),
    messageBytes: raised('messageBytes', 2 * largestEventBytes),
  };
}
