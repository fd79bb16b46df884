import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Asks `/health/live` all the time, from a process of its own. */
export class HealthWatch {
  private constructor(private readonly child: ChildProcess) {}

  static start(url: string): HealthWatch {
    const execArgv = ['--import', './bench/support/typescript.mjs'];
    return new HealthWatch(fork(join(import.meta.dirname, 'health-main.ts'), [`${url}/health/live`], { execArgv }));
  }

  /** The slowest answer since the last call, in milliseconds. */
  async slowestMs(): Promise<number> {
    this.child.send('slowest');
    const [slowest] = (await once(this.child, 'message')) as [number];
    return slowest;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }
}
