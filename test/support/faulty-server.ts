import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type RawData, WebSocket, WebSocketServer } from 'ws';

/** What a server in front of Rookery does wrong. */
export interface Faulty {
  /** A frame to a client, or undefined to drop it. */
  readonly frame?: (text: string) => string | undefined;
  readonly answer?: (status: number, text: string) => readonly [status: number, text: string];
  readonly closeCode?: (code: number) => number;
}

const textOf = (data: RawData): string => (data as Buffer).toString();

/** Passes on requests and sockets to the server at a port, and changes what comes back. */
export async function startFaultyServer(port: number, faulty: Faulty): Promise<Server> {
  const { frame = (text: string) => text, answer = (...same) => same, closeCode = (code: number) => code } = faulty;
  const pass = async ({ method = 'GET', url, headers }: IncomingMessage, body: Buffer, response: ServerResponse) => {
    const { authorization, 'content-type': type } = headers;
    const got = await fetch(`http://127.0.0.1:${port}${url}`, {
      method,
      headers: { ...(authorization && { authorization }), ...(type && { 'content-type': type }) },
      ...(body.length > 0 && { body }),
    });
    const [status, text] = answer(got.status, await got.text());
    response.writeHead(status).end(text);
  };
  const server = createServer((request, response) => {
    void buffer(request).then((body) => pass(request, body, response));
  });
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (client) => {
      const protocol = request.headers['sec-websocket-protocol'];
      const behind = new WebSocket(`ws://127.0.0.1:${port}${request.url}`, protocol ? [protocol] : []);
      const waiting: string[] = [];
      client.on('message', (data) => {
        if (behind.readyState === WebSocket.OPEN) behind.send(textOf(data));
        else waiting.push(textOf(data));
      });
      behind.on('open', () => waiting.splice(0).forEach((text) => behind.send(text)));
      behind.on('message', (data) => {
        const changed = frame(textOf(data));
        if (changed !== undefined) client.send(changed);
      });
      behind.on('close', (code, reason) =>
        client.close(code === 1005 || code === 1006 ? 1000 : closeCode(code), reason),
      );
      // A client may go before the server has answered.
      behind.on('error', () => undefined);
      client.on('close', () => behind.close());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
