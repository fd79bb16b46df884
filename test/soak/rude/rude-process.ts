import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { RudeFigures } from './rude.js';

export interface ToRude {
  readonly begin?: { readonly attack: string; readonly port: number; readonly turn: number };
  readonly end?: true;
}
export interface FromRude {
  readonly figures?: RudeFigures;
  /** Of the hostile tenant. */
  readonly endpointPort?: number;
}

/** The attacks, in a process of their own: they shall delay the server, and not those that measure it. */
export class RudeProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly endpointPort: number,
  ) {}

  static async start(): Promise<RudeProcess> {
    const execArgv = ['--import', './bench/support/typescript.mjs', '--conditions', 'rookery-source'];
    const child = fork(join(import.meta.dirname, 'rude-main.ts'), { execArgv });
    const [{ endpointPort }] = (await once(child, 'message')) as [FromRude];
    return new RudeProcess(child, endpointPort!);
  }

  begin(attack: string, port: number, turn: number): void {
    this.send({ begin: { attack, port, turn } });
  }

  /** Closes all its connections. @returns what became of the attack */
  async end(): Promise<RudeFigures> {
    this.send({ end: true });
    const [{ figures }] = (await once(this.child, 'message')) as [FromRude];
    return figures!;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }

  private send(message: ToRude): void {
    this.child.send(message);
  }
}
