import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Ended } from './command-line.js';
import { until } from './until.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A folder of a reader who has installed the package, and the terminals that are open in it. */
export class ReadersFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'rookery-reader-'));
  private readonly running: RunningLine[] = [];

  /** @param environment what the reader has exported */
  constructor(private readonly environment: Readonly<Record<string, string>> = {}) {
    // As `npm install` would lay it; test/package installs it for real.
    const commands = join(this.path, 'node_modules/.bin');
    mkdirSync(commands, { recursive: true });
    const command = `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'dist/rookery/rookery.js')}' "$@"\n`;
    writeFileSync(join(commands, 'rookery'), command, { mode: 0o755 });
    this.write('package.json', '{}');
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.path, name), text);
  }

  /** Runs a line to its end. */
  async run(line: string): Promise<Ended> {
    const started = this.start(line);
    const code = await started.exit();
    return { code: code ?? -1, stdout: started.stdout, stderr: started.stderr };
  }

  /** Runs a line that goes on until {@link close}. */
  start(line: string): RunningLine {
    const { PATH } = process.env;
    const env = {
      PATH: `${join(this.path, 'node_modules/.bin')}:${PATH}`,
      HOME: this.path,
      npm_config_update_notifier: 'false',
      ...this.environment,
    };
    // A group of its own: npx starts a process that starts the command.
    const child = spawn('bash', ['-c', line], { cwd: this.path, env, stdio: 'pipe', detached: true });
    const started = new RunningLine(line, child);
    this.running.push(started);
    return started;
  }

  /** Ends what is running. */
  async stop(): Promise<void> {
    await Promise.all(this.running.map((line) => line.stop()));
  }

  /** Ends what is running, and removes the folder. */
  async close(): Promise<void> {
    await this.stop();
    rmSync(this.path, { recursive: true });
  }
}

/** A line in a terminal, and what it has printed. */
export class RunningLine {
  stdout = '';
  stderr = '';

  constructor(
    private readonly line: string,
    private readonly child: ChildProcess,
  ) {
    child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    child.stdin?.end();
  }

  /** Waits until it has printed a text. */
  async says(text: string): Promise<void> {
    const said = (): boolean => {
      if (this.hasEnded) throw new Error(`${this.line} ended:\n${this.stdout}${this.stderr}`);
      return (this.stdout + this.stderr).includes(text);
    };
    await until(said, `${this.line} says ${text}`, 60_000);
  }

  /** Waits for its end, and answers its exit code. */
  async exit(): Promise<number | null> {
    if (!this.hasEnded) await once(this.child, 'exit');
    return this.child.exitCode;
  }

  async stop(): Promise<void> {
    if (this.hasEnded) return;
    const ended = once(this.child, 'exit');
    process.kill(-this.child.pid!, 'SIGTERM');
    await ended;
  }

  private get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }
}
