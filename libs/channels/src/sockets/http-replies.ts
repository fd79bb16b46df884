import type { IncomingMessage, ServerResponse } from 'node:http';
import { utf8Text } from '#common';
import { type BodyReading, BodyTooLarge, readBody } from '#http';
import { HttpAnswer } from '../connections/http/answer.js';
import { closed, httpEncoding, opened } from '../connections/http/http-encoding.js';
import * as frames from '../protocol/frames.js';
import type { ProtocolError } from '../protocol/protocol-error.js';

/** Pages of any origin may ask; the answer itself refuses origins that the app does not allow (channels-wire §11). */
const anyOrigin = { 'access-control-allow-origin': '*' };

/** How many texts a client may send in one request; pusher-js sends one. */
export const maxTexts = 1000;

export function answerPreflight(response: ServerResponse): void {
  const allowed = { 'access-control-allow-methods': 'POST', 'access-control-allow-headers': 'Content-Type' };
  response.writeHead(204, { ...anyOrigin, ...allowed, 'access-control-max-age': '86400' }).end();
}

/** As over WebSockets, a refusal is sent on an open connection (channels-wire §1.5). */
export function refuse(response: ServerResponse, error: ProtocolError, protocol: number): void {
  const errorFrames = error.isSentBeforeClose(protocol) ? [httpEncoding.encode(frames.error(error))] : [];
  new HttpAnswer(response, false).end(
    Buffer.concat([opened, ...errorFrames, closed(error.code ?? 1000, error.message)]),
  );
}

export function reply(response: ServerResponse, status: number, error = ''): void {
  const body = error && JSON.stringify({ error });
  const length = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  response.writeHead(status, { ...anyOrigin, ...(body && length) }).end(body);
}

/**
 * Reads the texts that a client sends in one request, or reports that the body is too long or not an array of texts.
 */
export function readTexts(
  request: IncomingMessage,
  response: ServerResponse,
  reading: BodyReading,
): Promise<readonly string[] | BodyTooLarge | undefined> {
  return new Promise((resolve) => {
    readBody(request, reading, (body, isUnread) => {
      if (isUnread) response.setHeader('connection', 'close');
      if (body instanceof BodyTooLarge) resolve(body);
      else resolve(body instanceof Error ? undefined : textsIn(body));
    });
  });
}

function textsIn(body: Buffer): readonly string[] | undefined {
  try {
    const texts: unknown = JSON.parse(utf8Text(body) ?? '');
    if (!Array.isArray(texts) || texts.length > maxTexts) return undefined;
    return texts.every((text) => typeof text === 'string') ? texts : undefined;
  } catch {
    // The caller answers this like any body that is not an array.
    return undefined;
  }
}
