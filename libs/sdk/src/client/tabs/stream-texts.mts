import type { SharedEvent } from './messages.mjs';

interface Piece {
  readonly stream: string;
  readonly at: number;
  readonly text: string;
}

/** Of a channel, the latest. */
const maxStreams = 10;

/** The streams of a channel so far, which the server sends to each new subscriber: here, to tabs that come later. */
export class StreamTexts {
  private readonly streams = new Map<string, SharedEvent & { readonly data: Piece }>();

  heard(event: string, data: unknown): void {
    if (!isPiece(data) || event.startsWith('client-')) return;
    const before = this.streams.get(data.stream)?.data.text ?? '';
    // The beginning is unknown.
    if (data.at > before.length) return;
    const isMore = data.at + data.text.length > before.length;
    const text = isMore ? before.slice(0, data.at) + data.text : before;
    this.streams.delete(data.stream);
    this.streams.set(data.stream, { event, data: { ...data, at: 0, text } });
    for (const oldest of this.streams.keys()) {
      if (this.streams.size <= maxStreams) break;
      this.streams.delete(oldest);
    }
  }

  /** Each as one event with the whole text. */
  get events(): readonly SharedEvent[] {
    return [...this.streams.values()];
  }
}

function isPiece(data: unknown): data is Piece {
  const { stream, at, text } = (data ?? {}) as Record<string, unknown>;
  return typeof stream === 'string' && typeof at === 'number' && typeof text === 'string';
}
