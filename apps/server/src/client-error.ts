import type { Socket } from 'node:net';

const statuses: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/**
 * Answers requests that are not HTTP, or come too slowly, and reach no route. As JSON with both fields, which every
 * push SDK reads of an error (beams-wire §0.2).
 */
export function refuseClient(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const status = statuses[error.code ?? ''] ?? '400 Bad Request';
  const body = `${JSON.stringify({ error: status.slice(4), description: 'The request cannot be read as HTTP.' })}\n`;
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  if (socket.writable) socket.write(`${head}\r\nConnection: close\r\n\r\n${body}`);
  socket.destroy();
}
