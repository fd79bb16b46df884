/** A stream as far as it was heard. */
export interface StreamedText {
  readonly id: string;
  readonly text: string;
  /** How it ended; undefined while it goes on. */
  readonly end: 'done' | 'error' | 'timeout' | undefined;
  /** What the sender has for users, if it ended with an error. */
  readonly message: string | undefined;
}

/** The part of a pusher-js channel in use. */
export interface StreamingChannel {
  bind(event: string, callback: (piece: Piece) => void): unknown;
}

interface Piece {
  readonly stream: string;
  readonly at: number;
  readonly text: string;
  readonly end?: StreamedText['end'];
  readonly message?: string;
}

/**
 * Puts together the streams that a server sends on a channel (`StreamsService.begin`): calls back with the text so far
 * whenever there is more.
 */
export function streamed(channel: StreamingChannel, event: string, show: (stream: StreamedText) => void): void {
  const said = new Map<string, string>();
  channel.bind(event, ({ stream, at, text, end, message }) => {
    const before = said.get(stream) ?? '';
    // Pieces may come again, or overlap. One whose beginning is unknown waits for an event with the whole text.
    const isMore = at <= before.length && at + text.length > before.length;
    const all = isMore ? before.slice(0, at) + text : before;
    said.set(stream, all);
    show({ id: stream, text: all, end, message });
  });
}
