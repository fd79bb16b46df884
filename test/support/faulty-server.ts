import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type RawData, WebSocket, WebSocketServer } from 'ws';

/** What a server in front of Rookery does wrong. */
export interface Faulty {
  /** A frame to a client, or undefined to drop it. */
  readonly frame?: (text: string) => string | undefined;
  /** Passes a frame on itself: later, twice, or after another one of the connection. */
  readonly relay?: (text: string, client: ProxiedClient) => void;
  /** Changes the path and the body of a request. */
  readonly request?: (body: string) => string;
  /** A frame of a client, or undefined to drop it. */
  readonly received?: (text: string, client: ProxiedClient) => string | undefined;
  /** Called after a request was answered, with all clients. */
  readonly afterRequest?: (path: string, body: string, clients: ReadonlySet<ProxiedClient>) => void;
  /** Keeps what a client had once its connection has broken. */
  readonly keepsBroken?: boolean;
  readonly answer?: (status: number, text: string) => readonly [status: number, text: string];
  readonly closeCode?: (code: number) => number;
}

/** A client of the server in front. */
export interface ProxiedClient {
  /** Once it was greeted. */
  socketId?: string;
  send(text: string): void;
}

const textOf = (data: RawData): string => (data as Buffer).toString();

/** Passes on requests and sockets to the server at a port, and changes what comes back. */
export async function startFaultyServer(port: number, faulty: Faulty): Promise<Server> {
  const { frame = (text: string) => text, answer = (...same) => same, closeCode = (code: number) => code } = faulty;
  const { received = (text: string) => text, relay = (text, to) => to.send(text), afterRequest, keepsBroken } = faulty;
  const { request: changed = (text: string) => text } = faulty;
  const clients = new Set<ProxiedClient>();
  const kept = new Set<WebSocket>();
  const pass = async ({ method = 'GET', url, headers }: IncomingMessage, body: Buffer, response: ServerResponse) => {
    const { authorization, 'content-type': type } = headers;
    const got = await fetch(`http://127.0.0.1:${port}${changed(String(url))}`, {
      method,
      headers: { ...(authorization && { authorization }), ...(type && { 'content-type': type }) },
      ...(body.length > 0 && { body: changed(String(body)) }),
    });
    const [status, text] = answer(got.status, await got.text());
    response.writeHead(status).end(text);
    afterRequest?.(String(url), String(body), clients);
  };
  const server = createServer((request, response) => {
    void buffer(request).then((body) => pass(request, body, response));
  });
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (client) => {
      const protocol = request.headers['sec-websocket-protocol'];
      const behind = new WebSocket(`ws://127.0.0.1:${port}${request.url}`, protocol ? [protocol] : []);
      kept.add(behind);
      behind.once('close', () => kept.delete(behind));
      const waiting: string[] = [];
      const proxied: ProxiedClient = { send: (text) => client.send(text) };
      clients.add(proxied);
      client.on('message', (data) => {
        const text = received(textOf(data), proxied);
        if (text === undefined) return;
        if (behind.readyState === WebSocket.OPEN) behind.send(text);
        else waiting.push(text);
      });
      behind.on('open', () => waiting.splice(0).forEach((text) => behind.send(text)));
      behind.on('message', (data) => {
        const text = textOf(data);
        proxied.socketId ??= /socket_id\\":\\"([\d.]+)/.exec(text)?.[1];
        const changed = frame(text);
        if (changed !== undefined) relay(changed, proxied);
      });
      behind.on('close', (code, reason) =>
        client.close(code === 1005 || code === 1006 ? 1000 : closeCode(code), reason),
      );
      // A client may go before the server has answered.
      behind.on('error', () => undefined);
      client.on('close', (code) => {
        clients.delete(proxied);
        if (!keepsBroken || code !== 1006) behind.close();
      });
    });
  });
  // What a client that broke has left behind ends with the proxy.
  server.once('close', () => {
    for (const socket of kept) socket.terminate();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
