import type { ServerConfig } from './config/config.js';
import { developmentInstance } from './config/development.js';
import { storeOf } from './shared-state.js';
import { isUnixUrl } from './unix-socket.js';

/** How many ids are listed; beyond it, only their number. */
const maxNamed = 5;

/**
 * The facts that matter when the server has started: where it listens, with which app, with which other processes, and
 * where its console is.
 *
 * @param alive the processes of its cluster, if it knows them: the one that starts workers is none of them
 */
export const firstWords = (url: string, config: ServerConfig, alive?: number): readonly string[] => [
  `Listening on ${url}${elsewhere(url, config)}${config.workers > 1 ? ` with ${config.workers} workers` : ''}`,
  served(config),
  ...clusterLine(config, alive),
  ...consoleLine(url, config),
];

/** The URL names only the loopback address of a server that listens on all. */
const elsewhere = (url: string, { host, socket }: ServerConfig): string =>
  (host === '0.0.0.0' || host === '::') && socket === undefined && !isUnixUrl(url)
    ? ' and all other addresses of this machine'
    : '';

function clusterLine(config: ServerConfig, alive: number | undefined): readonly string[] {
  if (config.role === 'worker') return [];
  const store = storeOf(config);
  if (!store) return ['On this machine alone: DATABASE_URL=postgres://… or REDIS_URL would connect others'];
  const processes = alive === undefined ? '' : `: ${alive} ${alive === 1 ? 'process is' : 'processes are'} alive`;
  return [`In a cluster with all processes on this ${store}${processes}`];
}

function consoleLine(url: string, { console, role }: ServerConfig): readonly string[] {
  if (!console || role === 'worker' || isUnixUrl(url)) return [];
  return [`Console at ${url}/console, ${console.development ? 'for this machine only' : 'protected by its password'}`];
}

function served({ role, apps, instances, isDevelopment }: ServerConfig): string {
  if (role === 'worker')
    return `Sending the publishes of ${named('push instance', instances)}; serving health and metrics alone`;
  const parts = [
    isDevelopment ? developmentApp : appsText(apps),
    ...(instances.length > 0 ? [instancesText(instances)] : []),
  ];
  return `Serving ${parts.join('; ')}${role === 'api' && instances.length > 0 ? ', whose publishes others send' : ''}`;
}

const developmentApp =
  'the development app, since none is configured: id app-id, key app-key, secret app-secret (publicly known)';

function instancesText(instances: ServerConfig['instances']): string {
  const [instance] = instances;
  if (instance !== developmentInstance) return named('push instance', instances);
  return `the trial push instance ${instance.id}, secret key ${instance.secretKey} (publicly known)`;
}

function appsText(apps: ServerConfig['apps']): string {
  const [app] = apps;
  if (app && apps.length === 1) return `the app ${app.id}, key ${app.key}`;
  return apps.length === 0 ? 'only the apps in the database' : named('app', apps);
}

function named(what: string, all: readonly { readonly id: string }[]): string {
  const ids = all.slice(0, maxNamed).map(({ id }) => id);
  const more = all.length > maxNamed ? ', …' : '';
  return all.length === 1 ? `the ${what} ${ids[0]}` : `${all.length} ${what}s: ${ids.join(', ')}${more}`;
}
