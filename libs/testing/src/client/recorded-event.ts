/** An event that a client received, or that the server sent to a channel. */
export interface RecordedEvent {
  readonly event: string;
  readonly channel?: string;
  /** Decoded if it is JSON. */
  readonly data: unknown;
  /** As received; for a triggered event, always text. */
  readonly rawData: unknown;
  /** The socket id of the excluded connection. */
  readonly except?: string;
}

/** Reads the JSON text of an event. */
export function recordedEvent(text: string, except?: string): RecordedEvent {
  const { event, channel, data: rawData } = JSON.parse(text) as { event: string; channel?: string; data?: unknown };
  return { event, channel, data: decoded(rawData), rawData, except };
}

function decoded(data: unknown): unknown {
  if (typeof data !== 'string') return data;
  try {
    return JSON.parse(data) as unknown;
  } catch {
    return data;
  }
}
