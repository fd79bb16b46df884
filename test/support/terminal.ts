import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Ended, RunningCommand } from './command-line.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A folder of a reader who has installed the package, and the terminals that are open in it. */
export class ReadersFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'rookery-reader-'));
  private readonly running: RunningCommand[] = [];

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
  start(line: string): RunningCommand {
    const { PATH } = process.env;
    const env = {
      PATH: `${join(this.path, 'node_modules/.bin')}:${PATH}`,
      HOME: this.path,
      npm_config_update_notifier: 'false',
      ...this.environment,
    };
    // A group of its own: npx starts a process that starts the command.
    const child = spawn('bash', ['-c', line], {
      cwd: this.path,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const started = new RunningCommand(child, () => process.kill(-child.pid!, 'SIGTERM'));
    this.running.push(started);
    return started;
  }

  /** Ends what is running, and removes the folder. */
  async close(): Promise<void> {
    await Promise.all(this.running.map((command) => command.stop()));
    rmSync(this.path, { recursive: true });
  }
}
