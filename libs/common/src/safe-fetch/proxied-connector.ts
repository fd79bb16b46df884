import type { buildConnector } from 'undici';
import { proxyOf } from '../proxy/proxy-of.js';
import { tunnelTo } from '../proxy/tunnel.js';

type Connector = buildConnector.connector;

const timeoutMs = 10_000;

/**
 * Connects through the proxy of the environment, if it has one for the URL, and otherwise by `direct`.
 *
 * @param check - rejects for names that must not be reached, before the proxy resolves them
 */
export function proxiedConnector(direct: Connector, check: (hostname: string) => Promise<void>): Connector {
  return (options, callback) => {
    void begun().catch((error: Error) => callback(error, null));

    async function begun(): Promise<void> {
      const url = new URL(`${options.protocol}//${options.host ?? options.hostname}`);
      const proxy = proxyOf(url);
      if (!proxy) return direct(options, callback);
      await check(url.hostname);
      const httpSocket = await tunnelTo(url, proxy, { timeoutMs });
      if (url.protocol === 'https:') direct({ ...options, httpSocket }, callback);
      else callback(null, httpSocket);
    }
  };
}
