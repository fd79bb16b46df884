import { STATUS_CODES } from 'node:http';
import type { FastPathAnswer } from './fast-path-routes.js';

/** Cached heads of answers without extra headers, by content type and status: the API has only a few. */
const beginnings = new Map<string, Map<number, string>>();
let date = '';
let dateEnds = 0;

/**
 * The head of an answer, with the wording and order of Node's.
 * @param keepAliveMs how long the connection is kept, 0 for unlimited; undefined closes it
 */
export function answerHead(
  { status, contentType, headers }: Omit<FastPathAnswer, 'body'>,
  bytes: number,
  keepAliveMs: number | undefined,
): string {
  return `${beginningOf(status, contentType, headers)}${bytes}\r\nDate: ${dateNow()}\r\n${connection(keepAliveMs)}\r\n\r\n`;
}

function connection(keepAliveMs: number | undefined): string {
  if (keepAliveMs === undefined) return 'Connection: close';
  if (keepAliveMs === 0) return 'Connection: keep-alive';
  return `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1000)}`;
}

function beginningOf(status: number, contentType: string, headers?: FastPathAnswer['headers']): string {
  if (headers) return written(status, contentType, headers);
  let ofType = beginnings.get(contentType);
  if (!ofType) beginnings.set(contentType, (ofType = new Map()));
  let beginning = ofType.get(status);
  if (beginning === undefined) ofType.set(status, (beginning = written(status, contentType, {})));
  return beginning;
}

function written(status: number, contentType: string, headers: Readonly<Record<string, string>>): string {
  const others = Object.entries(headers).map(([name, value]) => `${name.toLowerCase()}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${others.join('')}content-type: ${contentType}\r\ncontent-length: `;
}

/** Computed once a second. */
function dateNow(): string {
  const now = Date.now();
  if (now >= dateEnds || now < dateEnds - 1000) {
    date = new Date(now).toUTCString();
    dateEnds = now - (now % 1000) + 1000;
  }
  return date;
}
