import { STATUS_CODES } from 'node:http';
import type { DirectAnswer } from './direct-routes.js';

const none: readonly string[] = [];
const beginnings = new Map<string, string>();
let date = '';
let dateEnds = 0;

/**
 * The head of an answer, in the words and the order of Node's.
 * @param keepAliveMs how long the connection is kept, 0 for ever; undefined closes it
 */
export function answerHead(
  { status, contentType, headers }: Omit<DirectAnswer, 'body'>,
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

/** Remembered: the API has a handful of statuses, two types and one other header. */
function beginningOf(status: number, contentType: string, headers?: DirectAnswer['headers']): string {
  const others = headers ? Object.entries(headers).map(([name, value]) => `${name.toLowerCase()}: ${value}\r\n`) : none;
  const key = others.length > 0 ? `${status} ${contentType} ${others.join('')}` : `${status} ${contentType}`;
  let beginning = beginnings.get(key);
  if (beginning === undefined) {
    beginning = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${others.join('')}content-type: ${contentType}\r\ncontent-length: `;
    beginnings.set(key, beginning);
  }
  return beginning;
}

/** Made once a second. */
function dateNow(): string {
  const now = Date.now();
  if (now >= dateEnds || now < dateEnds - 1000) {
    date = new Date(now).toUTCString();
    dateEnds = now - (now % 1000) + 1000;
  }
  return date;
}
