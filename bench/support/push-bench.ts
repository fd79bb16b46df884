// What the two benchmarks of push share: the stand-in beside them, the message, and how their figures are told.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Platform } from 'rookery/push-device';
import { pinTo, usageOf } from '../machine.mjs';
import type { PushService } from './push-service.js';

const text = { title: 'Hello', body: 'There is something new for you to read today.' };

/** What is published to each platform. */
export const payloads = {
  apns: { aps: { alert: text } },
  fcm: { notification: text, data: { url: '/news/1' } },
  web: { notification: text, data: { url: '/news/1' } },
};

/** The platforms that the command line names, else all. */
export function wantedPlatforms(): readonly Platform[] {
  const wanted = process.argv.slice(2).filter((name): name is Platform => name in payloads);
  return wanted.length > 0 ? wanted : ['apns', 'fcm', 'web'];
}

/** The stand-in of a push service, in a process and on a core of its own. */
export class Service {
  private constructor(
    private readonly child: ChildProcess,
    readonly ready: PushService,
  ) {}

  static async start(platform: Platform): Promise<Service> {
    const child = fork(fileURLToPath(new URL('push-service.ts', import.meta.url)), [platform]);
    const [ready] = (await once(child, 'message')) as [PushService];
    pinTo(child.pid, 'client');
    return new Service(child, ready);
  }

  get cpuSeconds(): number {
    return usageOf(this.child.pid ?? 0).cpuSeconds;
  }

  /** How many notifications it has taken. */
  async count(): Promise<number> {
    this.child.send('count');
    return ((await once(this.child, 'message')) as [number])[0];
  }

  stop(): void {
    this.child.disconnect();
  }
}

/** To the parent benchmark that started this one, otherwise to the terminal. */
export function tell(figures: object): void {
  if (process.send) process.send(figures);
  else console.log(figures);
}

/** What the table makes `limit: client` of: the stand-in had no time left, so the sender could have done more. */
export function shares(seconds: number, serverCpuSeconds: number, serviceCpuSeconds: number) {
  return { seconds, serverCpuSeconds, clientCpu: serviceCpuSeconds / seconds };
}
