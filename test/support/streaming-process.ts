import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { until } from './until.js';

const script = fileURLToPath(new URL('streaming-process.mjs', import.meta.url));

/** What a process keeps its events in: a store that it shares with others, or a database of its own. */
export interface StreamStore {
  readonly url: string;
  readonly kind: 'redis' | 'postgres' | 'own';
}

/** A host with listeners that streams texts, in a process of its own. */
export class StreamingProcess {
  private output = '';

  private constructor(private readonly child: ChildProcess) {
    process.once('exit', () => child.kill('SIGKILL'));
    child.stdout?.on('data', (text: Buffer) => (this.output += text.toString()));
    child.stderr?.on('data', (text: Buffer) => (this.output += text.toString()));
  }

  /** Three that share a store, which stream 400, 400 and 200. */
  static startThree(
    store: StreamStore,
    ports: readonly number[],
    kind: 'texts' | 'parts',
  ): Promise<StreamingProcess[]> {
    const shares = [
      [0, 400],
      [400, 800],
      [800, 1000],
    ] as const;
    return Promise.all(shares.map((streams, n) => StreamingProcess.start(store, ports[n]!, streams, kind)));
  }

  /** @param streams the numbers of the first one that it streams and of the one after the last */
  static async start(
    { url, kind: store }: StreamStore,
    port: number,
    streams: readonly [first: number, end: number],
    kind: 'texts' | 'parts' = 'texts',
  ): Promise<StreamingProcess> {
    const started = new StreamingProcess(
      spawn(process.execPath, [script, url, ...[port, ...streams].map(String), kind, store]),
    );
    await started.says('listening');
    return started;
  }

  begin(): void {
    this.child.stdin?.write('\n');
  }

  /** @throws what it printed when it does not say so */
  async says(what: string): Promise<void> {
    await until(() => this.output.includes(what) || this.child.exitCode !== null, `the process says ${what}`, 60_000);
    if (!this.output.includes(what)) throw new Error(this.output);
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exit;
  }
}
