import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { command } from './command-line.js';
import { authorityFile } from './tls/index.js';
import { until } from './until.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Brings what `npm start` runs up to date. */
export const buildServer = (): Promise<void> => build('command', 'console');

/** Brings the package of the conformance suite up to date. */
export const buildConformance = (): Promise<void> => build('conformance');

/** Brings what applications import up to date. */
export const buildModules = (): Promise<void> => build('modules');

/** Files that are tested at the same time wait for each other. */
async function build(...parts: readonly string[]): Promise<void> {
  await promisify(execFile)(process.execPath, ['scripts/build.mjs', ...parts], { cwd: root });
}

/** The processes that a process has started, without those that have ended. */
export function childrenOf(pid: number): readonly number[] {
  return processes()
    .filter(([, parent, state]) => parent === pid && !state.startsWith('Z'))
    .map(([child]) => child);
}

/** All processes of this machine, from /proc where there is one: small images of Linux have no ps. */
function processes(): readonly (readonly [pid: number, parent: number, state: string])[] {
  const lines = existsSync('/proc/self/stat') ? statsOfLinux() : execFileSync('ps', ['-A', '-o', 'pid=,stat=,ppid=']);
  return Array.from(
    lines.toString().matchAll(/^\s*(\d+)\s+(?:\(.*\)\s+)?(\S+)\s+(\d+)/gm),
    ([, pid, state, parent]) => [Number(pid), Number(parent), state!],
  );
}

function statsOfLinux(): string {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(statOf).join('\n');
}

function statOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').trim();
  } catch {
    // It has ended since the folder was read.
    return '';
  }
}

/** The server as users run it, in a process of its own, on a free port. */
export class ServerProcess {
  url = '';
  output = '';

  private constructor(private readonly child: ChildProcess) {
    child.stdout?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
  }

  static async start(environment: Readonly<Record<string, string>>): Promise<ServerProcess> {
    const server = ServerProcess.launch(environment);
    await server.listens();
    return server;
  }

  /** Answers at once: it does not listen yet. */
  static launch(environment: Readonly<Record<string, string>>, program: string = command): ServerProcess {
    const env = { PATH: process.env['PATH'], PORT: '0', NODE_EXTRA_CA_CERTS: authorityFile, ...environment };
    return new ServerProcess(spawn(process.execPath, [program], { cwd: root, env, stdio: 'pipe' }));
  }

  /** Settles when it listens; one that does not is ended. */
  async listens(): Promise<void> {
    try {
      await until(() => this.isListening(), 'the server listens', 120_000);
    } catch (error) {
      await this.kill();
      throw error;
    }
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** The processes that it has started. */
  get children(): readonly number[] {
    return childrenOf(this.pid);
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  /** How it ended: its exit code, or the signal that ended it. */
  async exit(): Promise<number | NodeJS.Signals | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
    return this.child.exitCode ?? this.child.signalCode;
  }

  /** Ends it at once, as a power cut would: nothing in it gets to finish. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Asks it to stop, and waits until it has. Answers its exit code. */
  async stop(): Promise<number | null> {
    await this.end('SIGTERM');
    return this.child.exitCode;
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill(signal);
    await ended;
  }

  private isListening(): boolean {
    if (this.child.exitCode !== null) throw new Error(`The server ended at its start:\n${this.output}`);
    this.url = /Listening on (http:[^"\s]+)/.exec(this.output)?.[1] ?? '';
    return this.url !== '';
  }
}
