import { ServerSentEvents } from './server-sent-events.js';
import type { SourceOf } from './text-source.js';

/** Where the parts of a stream come from: objects, or the bytes of a response that carries them as server-sent events. */
export type PartSource = SourceOf<object | Uint8Array>;

/** A part as it stands in the text of its stream: a line of JSON. */
export const lineOf = (part: object): string => `${JSON.stringify(part)}\n`;

/** The parts of a source as lines. */
export async function* linesOf(source: PartSource): AsyncIterable<string> {
  let events: ServerSentEvents | undefined;
  // Every ReadableStream of Node is iterable.
  for await (const item of source as AsyncIterable<object>) {
    if (!(item instanceof Uint8Array)) yield lineOf(item);
    else for (const part of (events ??= new ServerSentEvents()).add(item)) yield lineOf(part as object);
  }
}
