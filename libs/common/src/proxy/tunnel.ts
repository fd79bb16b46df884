import { request as overHttp, type RequestOptions } from 'node:http';
import { request as overHttps } from 'node:https';
import type { Socket } from 'node:net';
import { ProxyFailed } from './proxy-failed.js';

export interface TunnelOptions {
  /** How long the proxy may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Gives up when it is aborted. */
  readonly signal?: AbortSignal;
}

/**
 * Opens a connection through a proxy to the host and port of a URL, with `CONNECT` (RFC 9110 §9.3.6). The proxy resolves
 * the name. It gets the user and password of its URL.
 *
 * @throws ProxyFailed if the proxy cannot be reached, refuses, or takes too long
 */
export function tunnelTo(target: URL, proxy: URL, { timeoutMs, signal }: TunnelOptions): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const limit = AbortSignal.timeout(timeoutMs);
    const request = (proxy.protocol === 'https:' ? overHttps : overHttp)({
      ...connectTo(target, proxy),
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
    const fail = (what: string): void =>
      reject(new ProxyFailed(what, `The proxy ${proxy.host} opened no connection (${what})`));
    request.once('connect', ({ statusCode = 0 }, socket: Socket, head: Buffer) => {
      if (statusCode < 200 || statusCode > 299) {
        socket.destroy();
        return fail(String(statusCode));
      }
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    request.once('error', (error: NodeJS.ErrnoException) => fail(limit.aborted ? 'TIMEOUT' : (error.code ?? 'ERROR')));
    request.end();
  });
}

function connectTo(target: URL, proxy: URL): RequestOptions {
  const authority = `${target.hostname}:${target.port || (target.protocol === 'http:' ? 80 : 443)}`;
  const { username, password } = proxy;
  const given = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64');
  return {
    host: proxy.hostname.replace(/^\[|\]$/g, ''),
    port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
    method: 'CONNECT',
    path: authority,
    // A socket of its own, without the limits of Node's agent.
    agent: false,
    headers: { host: authority, ...(username !== '' && { 'proxy-authorization': `Basic ${given}` }) },
  };
}

/** As it is where a `%` is no escape, as curl takes it: a password may have one. */
const decoded = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
