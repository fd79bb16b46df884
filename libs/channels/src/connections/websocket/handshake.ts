import { hash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

// RFC 6455 §1.3.
const guid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const key = /^[+/0-9A-Za-z]{22}==$/;

/**
 * The answer to an upgrade request, or `undefined` when it is not a WebSocket handshake of version 13.
 * Echoes the first subprotocol that the client offers: Swift does not connect without (channels-wire §1.1).
 *
 * @param extension the agreed value of `Sec-WebSocket-Extensions`, if any
 */
export function acceptHandshake({ method, headers }: IncomingMessage, extension?: string): string | undefined {
  const clientKey = headers['sec-websocket-key'];
  const isHandshake =
    method === 'GET' &&
    offersWebSocket(headers) &&
    headers['sec-websocket-version'] === '13' &&
    clientKey !== undefined &&
    key.test(clientKey);
  if (!isHandshake) return undefined;
  const accept = hash('sha1', clientKey + guid, 'base64');
  const protocol = firstToken(headers['sec-websocket-protocol']);
  return (
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
    `Sec-WebSocket-Accept: ${accept}\r\n${protocol === undefined ? '' : `Sec-WebSocket-Protocol: ${protocol}\r\n`}` +
    `${extension === undefined ? '' : `Sec-WebSocket-Extensions: ${extension}\r\n`}\r\n`
  );
}

/** Whether the client offers WebSocket, possibly among other protocols. */
export function offersWebSocket({ upgrade = '' }: IncomingHttpHeaders): boolean {
  return /(?:^|,)[\t ]*websocket[\t ]*(?:,|$)/i.test(upgrade);
}

/** The answer to a request that is not a handshake. */
export const badHandshake =
  'HTTP/1.1 426 Upgrade Required\r\nConnection: close\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
  'Content-Type: text/plain\r\nContent-Length: 28\r\n\r\nA WebSocket is expected here';

// A token of RFC 9110: anything else is not echoed into the response headers.
function firstToken(offered: string | undefined): string | undefined {
  const first = offered?.split(',', 1)[0]?.trim();
  return first !== undefined && /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(first) ? first : undefined;
}
