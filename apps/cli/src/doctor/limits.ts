import type { ServerConfig } from '../../../server/src/config/config.js';
import { about, type Findings } from './finding.js';

const say = about('open files');
/** The database, the log, webhooks and push services need some too. */
const forOthers = 500;
/** Fewer are soon used up. */
const fewest = 4096;

/** Whether as many connections can be open as the configuration allows. */
export async function* limitFindings({ channels, apps }: ServerConfig): Findings {
  const limit = openFiles();
  if (limit === undefined) return;
  const ofApps = apps.reduce((sum, { maxConnections }) => sum + (maxConnections ?? Infinity), 0);
  const wanted = Math.min(channels.limits?.connections ?? Infinity, ofApps);
  const needed = Number.isFinite(wanted) ? wanted + forOthers : fewest;
  if (limit < needed) {
    const fix = `Raise it: \`ulimit -n ${Math.max(65_536, needed)}\`, LimitNOFILE= in systemd, nofile of the container`;
    yield say.fault(`${limit} at once are fewer than the ${needed} that its connections may need`, fix);
  } else yield say.ok(`${Number.isFinite(limit) ? limit : 'any number'} at once`);
}

/** What Node may open; nothing where a system has no such limit. Node raises the soft limit to the hard one itself. */
function openFiles(): number | undefined {
  const report = process.report.getReport() as {
    readonly userLimits?: Record<string, { readonly soft: number | 'unlimited' }>;
  };
  const soft = report.userLimits?.['open_files']?.soft;
  return soft === 'unlimited' ? Infinity : soft;
}
