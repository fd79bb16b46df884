import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { authorityFile } from './tls/index.js';
import { until } from './until.js';

/** What `bin/rookery.js` runs once it has built what has changed. */
export const command: string = fileURLToPath(new URL('packed-command.cjs', import.meta.url));

type Environment = Readonly<Record<string, string>>;

/** A command's output, and how it ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const all = (environment: Environment) => ({
  PATH: process.env['PATH'],
  NODE_EXTRA_CA_CERTS: authorityFile,
  ...environment,
});

/** Runs the command `rookery` as it is packed, to its end; `buildServer` has made it. */
export async function rookery(args: readonly string[], environment: Environment = {}, input = ''): Promise<Ended> {
  const running = promisify(execFile)(process.execPath, [command, ...args], {
    env: all(environment),
    timeout: 120_000,
  });
  running.child.stdin?.on('error', () => {}).end(input);
  try {
    return { code: 0, ...(await running) };
  } catch (error) {
    const { code, stdout, stderr } = error as Ended;
    return { code, stdout, stderr };
  }
}

/** A command that goes on until it is ended. */
export class RunningCommand {
  stdout = '';
  stderr = '';
  /** When all that it printed has come, too. */
  private readonly closed: Promise<unknown>;

  /** @param terminate asks it to end */
  constructor(
    private readonly child: ChildProcess,
    private readonly terminate: () => void = () => void child.kill('SIGTERM'),
  ) {
    this.closed = new Promise((resolve) => child.once('close', resolve));
    child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
  }

  static start(args: readonly string[], environment: Environment = {}): RunningCommand {
    return new RunningCommand(spawn(process.execPath, [command, ...args], { env: all(environment), stdio: 'pipe' }));
  }

  /** Waits until the text is in its output. */
  async says(text: string, withinMs = 120_000): Promise<void> {
    const said = () => {
      if (this.hasEnded) throw new Error(`It ended:\n${this.stdout}${this.stderr}`);
      return (this.stdout + this.stderr).includes(text);
    };
    await until(said, `it says ${text}`, withinMs);
  }

  get lines(): readonly string[] {
    return this.stdout.trim().split('\n');
  }

  /** As Ctrl-C does. */
  interrupt(): void {
    this.child.kill('SIGINT');
  }

  /** Waits for its end, and answers its exit code. */
  async exit(): Promise<number | null> {
    await this.closed;
    return this.child.exitCode;
  }

  async stop(): Promise<void> {
    if (this.hasEnded) return;
    const ended = once(this.child, 'exit');
    this.terminate();
    await ended;
  }

  private get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }
}
