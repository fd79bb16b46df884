import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';

const canPin = os.cpus().length > 1 && spawnSync('taskset', ['--version']).status === 0;
/** The server has a core of its own; the load clients share the others. */
const cores = { server: '0', client: `1-${os.cpus().length - 1}` };

/** Pins a process to the cores of its part, where there are cores to share out and `taskset` exists. */
export function pinTo(pid, part) {
  if (canPin) spawnSync('taskset', ['-a', '-c', '-p', cores[part], String(pid)]);
}

/** CPU seconds, calls that write, and resident bytes, now and at most, of a process so far; undefined without /proc. */
export function usageOf(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return {
      cpuSeconds: cpuSecondsOf(pid),
      writes: Number(/^syscw: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]),
      rss: bytesOf(/VmRSS:\s+(\d+)/.exec(status)),
      peakRss: bytesOf(/VmHWM:\s+(\d+)/.exec(status)),
    };
  } catch {
    return undefined;
  }
}

/** A process and those that it has started. */
export function treeOf(pid) {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    return [Number(pid), ...children.flatMap(treeOf)];
  } catch {
    return [];
  }
}

/** The usage of all of them, together. */
export function usageOfTree(pid) {
  const [own, ...others] = treeOf(pid).map(usageOf);
  for (const other of others) for (const [name, value] of Object.entries(other ?? {})) own[name] += value;
  return own;
}

const bytesOf = (kilobytes) => Number(kilobytes?.[1] ?? 0) * 1024;

/** The CPU time of all threads of a process so far, exactly once it is idle. */
export function cpuMicroseconds(pid) {
  const spent = (thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + spent(thread), 0) / 1000;
}

/** The kernel counts the peak of a process's resident memory anew from here, so that no sample can miss it. */
export function forgetPeak(pid) {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

const ticksPerSecond = 100;

/** In nanoseconds, where the kernel counts them for each thread; its clock ticks are too coarse for short loads. */
function cpuSecondsOf(pid) {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const each = threads.map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
    );
    return each.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e9;
  } catch {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  }
}

/** How many files each process may open: raised as far as needed, where this user may. */
const wantedFiles = 250_000;

/** Raises the limit of open files of a process. */
export function raiseOpenFiles(pid) {
  spawnSync('prlimit', ['--pid', String(pid), `--nofile=${wantedFiles}:${wantedFiles}`], { stdio: 'ignore' });
}

/** What the kernel holds in its own structures, such as sockets; undefined without /proc. */
export function kernelBytes() {
  try {
    return bytesOf(/^Slab:\s+(\d+)/m.exec(readFileSync('/proc/meminfo', 'utf8')));
  } catch {
    return undefined;
  }
}

/** How many files a process may open, so that a row that needs more can be left out with a word. */
export function openFilesLimit() {
  raiseOpenFiles(process.pid);
  const limit = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  return limit === 'unlimited' ? Infinity : Number(limit) || 1024;
}

/** What a result was measured on. */
export function machine() {
  return {
    cpu: os.cpus()[0]?.model ?? 'unknown',
    cores: os.cpus().length,
    memoryGb: Math.round(os.totalmem() / 2 ** 30),
    system: `${os.type()} ${os.release()}`,
    node: process.version,
    isPinned: canPin,
    commit: commit(),
    date: new Date().toISOString().slice(0, 10),
  };
}

function commit() {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return 'unknown';
  }
}
