import { STATUS_CODES } from 'node:http';

const beginnings = new Map<string, string>();
let date = '';
let dateEnds = 0;

/**
 * The head of an answer, in the words and the order of Node's.
 * @param keepAliveMs how long the connection is kept, 0 for ever; undefined closes it
 */
export function answerHead(
  status: number,
  contentType: string,
  bytes: number,
  keepAliveMs: number | undefined,
): string {
  return `${beginningOf(status, contentType)}${bytes}\r\nDate: ${dateNow()}\r\n${connection(keepAliveMs)}\r\n\r\n`;
}

function connection(keepAliveMs: number | undefined): string {
  if (keepAliveMs === undefined) return 'Connection: close';
  if (keepAliveMs === 0) return 'Connection: keep-alive';
  return `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1000)}`;
}

/** Remembered: the API has a handful of statuses and two types. */
function beginningOf(status: number, contentType: string): string {
  const key = `${status} ${contentType}`;
  let beginning = beginnings.get(key);
  if (beginning === undefined) {
    beginning = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\ncontent-type: ${contentType}\r\ncontent-length: `;
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
