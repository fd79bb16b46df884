import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.js';
import { buildModules, buildServer } from './server-process.js';
import { authorityFile } from './tls/index.js';
import { until } from './until.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** An example as `npm run example <name>` runs it. */
export class Example {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
  ) {}

  static async start(name: string, environment: Readonly<Record<string, string>> = {}): Promise<Example> {
    await Promise.all([buildModules(), buildServer()]);
    const port = await freePort();
    const env = { PATH: process.env['PATH'], PORT: String(port), NODE_EXTRA_CA_CERTS: authorityFile, ...environment };
    const child = spawn(process.execPath, ['scripts/example.mjs', name], { cwd: root, env, stdio: 'pipe' });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const example = new Example(`http://localhost:${port}`, child);
    const isListening = () => {
      if (example.hasEnded) throw new Error(`The example ended at its start:\n${output}`);
      return output.includes('Open http://localhost');
    };
    try {
      await until(isListening, 'the example listens', 60_000);
    } catch (error) {
      await example.stop();
      throw error;
    }
    return example;
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.hasEnded) return;
    this.child.kill(signal);
    await once(this.child, 'exit');
  }

  private get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }
}
