import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { command, type Ended, RunningCommand } from './command-line.js';

/** Terminals that are open in a folder. */
export class Terminals {
  private readonly running: RunningCommand[] = [];

  constructor(
    readonly path: string,
    private readonly environment: NodeJS.ProcessEnv,
  ) {}

  /** Runs a line to its end. */
  async run(line: string): Promise<Ended> {
    const started = this.start(line);
    const code = await started.exit();
    return { code: code ?? -1, stdout: started.stdout, stderr: started.stderr };
  }

  /** Runs a line that goes on until {@link close}. */
  start(line: string): RunningCommand {
    // A group of its own: npx and npm start a process that starts the command.
    const child = spawn('sh', ['-c', line], {
      cwd: this.path,
      env: this.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const started = new RunningCommand(child, () => process.kill(-child.pid!, 'SIGTERM'));
    this.running.push(started);
    return started;
  }

  /** Ends what is running. */
  async close(): Promise<void> {
    await Promise.all(this.running.map((command) => command.stop()));
  }
}

/** The folder of a reader after installing the package. */
export class ReadersFolder extends Terminals {
  /** @param environment what the reader has exported */
  constructor(environment: Readonly<Record<string, string>> = {}) {
    const path = mkdtempSync(join(tmpdir(), 'rookery-reader-'));
    // As `npm install` would lay it; test/package installs it for real.
    const commands = join(path, 'node_modules/.bin');
    super(path, {
      PATH: `${commands}:${process.env['PATH']}`,
      HOME: path,
      npm_config_update_notifier: 'false',
      ...environment,
    });
    mkdirSync(commands, { recursive: true });
    const script = `#!/bin/sh\nexec '${process.execPath}' '${command}' "$@"\n`;
    writeFileSync(join(commands, 'rookery'), script, { mode: 0o755 });
    this.write('package.json', '{}');
  }

  /** A package of the repository, as `npm install` would lay it. */
  install(name: string, folder: string): void {
    const target = join(this.path, 'node_modules', name);
    mkdirSync(dirname(target), { recursive: true });
    const source = join(import.meta.dirname, '../..', folder);
    symlinkSync(source, target);
    const { bin } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as { bin: Record<string, string> };
    for (const [command, file] of Object.entries(bin)) {
      const link = join(this.path, 'node_modules/.bin', command);
      if (!existsSync(link)) symlinkSync(join(target, file), link);
    }
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.path, name), text);
  }

  /** Ends what is running, and removes the folder. */
  override async close(): Promise<void> {
    await super.close();
    rmSync(this.path, { recursive: true });
  }
}
