import type { buildConnector } from 'undici';
import { dropOldest } from '../drop-oldest.js';
import { ProxyFailed } from '../proxy/proxy-failed.js';
import { proxyOf } from '../proxy/proxy-of.js';
import { tunnelTo } from '../proxy/tunnel.js';

type Connector = buildConnector.connector;

const timeoutMs = 10_000;
const maxUnused = 10_000;

/**
 * Connects through the proxy of the environment, if it has one for the URL, and otherwise by `direct`.
 *
 * @param check - rejects for names that must not be reached, before the proxy resolves them
 */
export function proxiedConnector(direct: Connector, check: (hostname: string) => Promise<void>): Connector {
  /** Origins whose last tunnel was closed before a request: undici would ask for another at once, again and again. */
  const unused = new Set<string>();
  return (options, callback) => {
    void begun().catch((error: Error) => callback(error, null));

    async function begun(): Promise<void> {
      const url = new URL(`${options.protocol}//${options.host ?? options.hostname}`);
      const proxy = proxyOf(url);
      if (!proxy) return direct(options, callback);
      if (unused.delete(url.origin)) throw new ProxyFailed('CLOSED', `The proxy ${proxy.host} closed the connection`);
      await check(url.hostname);
      const httpSocket = await tunnelTo(url, proxy, { timeoutMs });
      if (url.protocol === 'https:') return direct({ ...options, httpSocket }, callback);
      const { bytesWritten } = httpSocket;
      httpSocket.once('close', () => {
        if (httpSocket.bytesWritten === bytesWritten) unused.add(url.origin);
        dropOldest(unused, maxUnused);
      });
      callback(null, httpSocket);
    }
  };
}
