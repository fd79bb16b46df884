import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { RudeFigures } from './rude-clients.js';

export type Order = 'go on' | 'pause' | 'figures';

/** {@link RudeClients} in a process of their own: they shall delay the server, and not those that measure it. */
export class RudeProcess {
  private constructor(private readonly child: ChildProcess) {}

  /** Its clients do nothing yet. */
  static start(port: number): RudeProcess {
    const execArgv = ['--import', './bench/support/typescript.mjs'];
    return new RudeProcess(fork(join(import.meta.dirname, 'main.ts'), [String(port)], { execArgv }));
  }

  order(order: Order): void {
    this.child.send(order);
  }

  async figures(): Promise<RudeFigures> {
    this.order('figures');
    const [figures] = (await once(this.child, 'message')) as [RudeFigures];
    return figures;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }
}
