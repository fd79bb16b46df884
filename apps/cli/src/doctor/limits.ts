import type { ServerConfig } from '../../../server/src/config/config.js';
import { about, type Findings } from './finding.js';

const say = about('open files');
/** Also reserved: files for the database, the log, webhooks and push services. */
const forOthers = 500;
/** Smaller limits are soon reached. */
const fewest = 4096;

/** Checks whether the process may open as many files as the configured connections need. */
export async function* limitFindings({ channels, apps }: ServerConfig): Findings {
  const limit = openFiles();
  if (limit === undefined) return;
  const ofApps = apps.reduce((sum, { maxConnections }) => sum + (maxConnections ?? Infinity), 0);
  const wanted = Math.min(channels.limits?.connections ?? Infinity, ofApps);
  const needed = Number.isFinite(wanted) ? wanted + forOthers : fewest;
  if (limit < needed) {
    const fix = `Raise it: \`ulimit -n ${Math.max(65_536, needed)}\`, LimitNOFILE= in systemd, nofile of the container`;
    yield say.fault(`the limit is ${limit}, but the configured connections may need ${needed}`, fix);
  } else yield say.ok(`the limit is ${Number.isFinite(limit) ? limit : 'unlimited'}`);
}

/** Node's limit of open files; undefined where a system has none. Node itself raises the soft limit to the hard one. */
function openFiles(): number | undefined {
  const report = process.report.getReport() as {
    readonly userLimits?: Record<string, { readonly soft: number | 'unlimited' }>;
  };
  const soft = report.userLimits?.['open_files']?.soft;
  return soft === 'unlimited' ? Infinity : soft;
}
