import { isObject } from '#common';
import { ServerSentEvents } from './server-sent-events.js';

/**
 * One item of a source: a text, a chunk of Vercel's AI SDK (`fullStream`, `toUIMessageStream()`), one of the libraries
 * of OpenAI (chat completions, responses), or bytes of a response that carries either as server-sent events.
 */
export type TextChunk = string | Uint8Array | { readonly type: string } | { readonly choices: readonly unknown[] };

/** Where the text of a stream comes from. */
export type TextSource = SourceOf<TextChunk>;

/** What brings items one after the other. */
export type SourceOf<Item> =
  | AsyncIterable<Item>
  | Iterable<Item>
  // A ReadableStream, which not all type definitions know as iterable.
  | { getReader(): { read(): Promise<{ readonly done: boolean; readonly value?: Item | undefined }> } };

/**
 * The texts of a source, empty ones for chunks without a text.
 * @throws Error when the source says that it failed or was aborted
 */
export async function* textsOf(source: TextSource): AsyncIterable<string> {
  let events: ServerSentEvents | undefined;
  // Every ReadableStream of Node is iterable.
  for await (const chunk of source as AsyncIterable<TextChunk>) {
    if (typeof chunk === 'string') yield chunk;
    else if (chunk instanceof Uint8Array) {
      let text = '';
      for (const data of (events ??= new ServerSentEvents()).add(chunk)) text += textOf(data);
      yield text;
    } else yield textOf(chunk);
  }
}

function textOf(chunk: unknown): string {
  if (!isObject(chunk)) return '';
  const { type, choices, delta, text, textDelta, error } = chunk;
  if (Array.isArray(choices)) return (choices as readonly unknown[]).map(textOfChoice)[0] ?? '';
  if (type === 'text-delta') return [delta, text, textDelta].find((each) => typeof each === 'string') ?? '';
  if (type === 'response.output_text.delta') return typeof delta === 'string' ? delta : '';
  if (type === 'error' || type === 'response.failed' || (type === undefined && error)) throw failureOf(chunk);
  if (type === 'abort') throw new Error('The source of the stream was aborted');
  return '';
}

/** Of chat completions, or of the older completions. */
function textOfChoice(choice: unknown): string {
  if (!isObject(choice)) return '';
  const content = isObject(choice['delta']) ? choice['delta']['content'] : choice['text'];
  return typeof content === 'string' ? content : '';
}

function failureOf({ error, errorText, message }: Readonly<Record<string, unknown>>): Error {
  if (error instanceof Error) return error;
  const inner = isObject(error) ? error['message'] : error;
  const text = [errorText, message, inner].find((each) => typeof each === 'string');
  return new Error(`The source of the stream failed${text === undefined ? '' : `: ${text}`}`);
}
