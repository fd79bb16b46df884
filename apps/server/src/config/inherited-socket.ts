import { primaryVariable } from '../workers/primary-variable.js';

/** See sd_listen_fds(3). */
const firstDescriptor = 3;

/**
 * The descriptor of the listening socket that systemd, or another supervisor, has opened for this process: connections wait
 * there until a process accepts them. A worker gets it from the primary.
 */
export function inheritedSocket(environment: Readonly<Record<string, string | undefined>>): number | undefined {
  const count = environment['LISTEN_FDS'];
  const owner = environment['LISTEN_PID'];
  if (!count || !owner || ![String(process.pid), environment[primaryVariable]].includes(owner)) return undefined;
  if (count !== '1') throw new Error(`LISTEN_FDS: one socket can be served, got ${count}`);
  return firstDescriptor;
}
