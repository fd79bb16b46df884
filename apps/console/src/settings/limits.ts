/** The limits that an app may override, with their units. */
export const limitUnits = {
  eventDataBytes: 'bytes',
  clientEventsPerSecond: 'per second and connection',
  presenceMembers: 'users',
  triggersPerSecond: 'a second',
  historyEvents: 'events per channel',
  historySeconds: 'seconds',
  historyBytes: 'bytes per channel',
} as const;

export type Limits = Partial<Record<keyof typeof limitUnits, number>>;
