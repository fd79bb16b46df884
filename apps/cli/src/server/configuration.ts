import { Fault } from '../fault.js';
import type { ServerConfig } from '../../../server/src/config/config.js';

/**
 * The configuration that a server started here would use, from environment variables and its file. @throws Error naming
 * the setting
 */
export async function configuration(environment: NodeJS.ProcessEnv = process.env): Promise<ServerConfig> {
  const { readConfig } = await import('../settings.js');
  return readConfig(environment);
}

/**
 * The URL of a server with that configuration, from its own machine.
 * @throws Fault if it has none, because it listens on a Unix socket
 */
export function urlOf({ host, port, tls }: Pick<ServerConfig, 'host' | 'port' | 'tls'>): string {
  if (host.startsWith('/')) throw new Fault(`HOST is the Unix socket ${host}: name the URL of the proxy with --url`);
  const everywhere: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };
  const name = everywhere[host] ?? (host.includes(':') ? `[${host}]` : host);
  return `${tls ? 'https' : 'http'}://${name}:${port}`;
}
