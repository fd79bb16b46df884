/** The limits that an app may have of its own, with their units. */
export const limitUnits = {
  eventDataBytes: 'bytes',
  clientEventsPerSecond: 'a second, of a connection',
  presenceMembers: 'users',
  triggersPerSecond: 'a second',
  historyEvents: 'events of a channel',
  historySeconds: 'seconds',
  historyBytes: 'bytes of a channel',
} as const;

export type Limits = Partial<Record<keyof typeof limitUnits, number>>;
