import { IsCount, Optional } from '#common';
import type { ChannelsLimits } from './channels-limits.js';

/** Limits for one app; omitted ones are taken from the module. */
export class AppLimits implements Partial<ChannelsLimits> {
  /** Bytes of UTF-8 in an event's data. */
  @Optional()
  @IsCount()
  readonly eventDataBytes?: number;
  /** Client events that a connection may send in a second. */
  @Optional()
  @IsCount()
  readonly clientEventsPerSecond?: number;
  /** Users of a presence channel. */
  @Optional()
  @IsCount()
  readonly presenceMembers?: number;
  /** Events that the app may trigger in a second. */
  @Optional()
  @IsCount()
  readonly triggersPerSecond?: number;
  /** Events in the history of a channel; caps the app's `history`. */
  @Optional()
  @IsCount(1, 1_000_000)
  readonly historyEvents?: number;
  /** How long events stay in a history, in seconds. */
  @Optional()
  @IsCount(1, 86_400)
  readonly historySeconds?: number;
  /** Bytes of UTF-8 in the history of a channel. */
  @Optional()
  @IsCount(1, 1_073_741_824)
  readonly historyBytes?: number;
}

/** The limits that apply to an app. */
export function limitsOf({ limits: own }: { readonly limits?: AppLimits | null }, all: ChannelsLimits): ChannelsLimits {
  if (!own) return all;
  return {
    ...all,
    eventDataBytes: own.eventDataBytes ?? all.eventDataBytes,
    clientEventsPerSecond: own.clientEventsPerSecond ?? all.clientEventsPerSecond,
    presenceMembers: own.presenceMembers ?? all.presenceMembers,
    triggersPerSecond: own.triggersPerSecond ?? all.triggersPerSecond,
    historyEvents: own.historyEvents ?? all.historyEvents,
    historySeconds: own.historySeconds ?? all.historySeconds,
    historyBytes: own.historyBytes ?? all.historyBytes,
  };
}
