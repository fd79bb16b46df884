import { raised, withRoom } from './converted-config.js';
import type { OtherSettings } from './other-settings.js';

/** A limit that each app of soketi may override, while Rookery has one for all apps. */
interface CommonLimit {
  readonly ofApp: string;
  readonly ofAll: string;
  readonly byDefault: number;
  /** How many of our units are one of soketi's. */
  readonly unit?: number;
}

const commonLimits = {
  presenceUserBytes: {
    ofApp: 'maxPresenceMemberSizeInKb',
    ofAll: 'presence.maxMemberSizeInKb',
    byDefault: 2048,
    unit: 1024,
  },
  channelNameLength: { ofApp: 'maxChannelNameLength', ofAll: 'channelLimits.maxNameLength', byDefault: 200 },
  channelsPerTrigger: { ofApp: 'maxEventChannelsAtOnce', ofAll: 'eventLimits.maxChannelsAtOnce', byDefault: 100 },
  eventNameLength: { ofApp: 'maxEventNameLength', ofAll: 'eventLimits.maxNameLength', byDefault: 200 },
  eventsPerBatch: { ofApp: 'maxEventBatchSize', ofAll: 'eventLimits.maxBatchSize', byDefault: 10 },
} as const satisfies Readonly<Record<string, CommonLimit>>;

/** The limits of one app; by Rookery's names. */
export interface SoketiLimits {
  readonly own: Readonly<Record<string, number | undefined>> & { readonly eventDataBytes: number | undefined };
  readonly common: ReadonlyMap<string, number>;
  /** A line for each limit that the app can no longer have for itself. */
  readonly notes: readonly string[];
}

export function soketiLimitsOf(app: OtherSettings): SoketiLimits {
  const common = new Map<string, number>();
  const notes: string[] = [];
  for (const [name, { ofApp, ...limit }] of Object.entries<CommonLimit>(commonLimits)) {
    const own = app.amount(ofApp, limit.unit ?? 1);
    if (own === undefined) continue;
    common.set(name, own);
    notes.push(`${ofApp} is one limit for all apps here: channels.limits.${name} is the largest of them`);
  }
  const own = {
    triggersPerSecond: app.limit('maxBackendEventsPerSecond'),
    clientEventsPerSecond: app.limit('maxClientEventsPerSecond'),
    presenceMembers: app.limit('maxPresenceMembersPerChannel'),
    eventDataBytes: app.amount('maxEventPayloadInKb', 1024),
  };
  return { own, common, notes };
}

/** The limits of the module: where soketi's are looser by default, they stay so. */
export function soketiLimits(
  settings: OtherSettings,
  apps: readonly SoketiLimits[],
): Readonly<Record<string, number | undefined>> {
  const eventDataBytes = settings.amount('eventLimits.maxPayloadInKb', 1024) ?? 102_400;
  const common = Object.entries<CommonLimit>(commonLimits).map(([name, { ofAll, byDefault, unit = 1 }]) => {
    const own = apps.flatMap((app) => app.common.get(name) ?? []);
    const all = settings.amount(ofAll, unit);
    const isSet = all !== undefined || own.length > 0 || name === 'presenceUserBytes';
    return [name, isSet ? Math.max(all ?? byDefault, ...own) : undefined] as const;
  });
  const requestBytes = settings.amount('httpApi.requestLimitInMb', 1_048_576);
  const largestEvent = Math.max(eventDataBytes, ...apps.map((app) => app.own.eventDataBytes ?? 0));
  const events = new Map(common).get('eventsPerBatch') ?? commonLimits.eventsPerBatch.byDefault;
  return {
    eventDataBytes,
    presenceMembers: settings.limit('presence.maxMembersPerChannel'),
    ...Object.fromEntries(common),
    // Escaped in JSON, an event may take twice its size.
    requestBytes:
      requestBytes === undefined
        ? raised('requestBytes', 2 * largestEvent * events)
        : Math.max(requestBytes, withRoom(largestEvent)),
    messageBytes: raised('messageBytes', 2 * largestEvent),
  };
}
