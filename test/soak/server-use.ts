import { readFileSync } from 'node:fs';

/** Of Linux: in a second of CPU time, and of /proc/<pid>/stat, without what comes before the state. */
const ticksPerSecond = 100;
const [userTime, systemTime] = [11, 12];

/** What a process uses of the machine. */
export class ServerUse {
  constructor(private readonly pid: number) {}

  /** What is resident, in MB. */
  get rss(): number {
    const [, rss] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))!;
    return Number(rss) / 1024;
  }

  get cpuSeconds(): number {
    const fields = readFileSync(`/proc/${this.pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
    return (Number(fields[userTime]) + Number(fields[systemTime])) / ticksPerSecond;
  }
}
