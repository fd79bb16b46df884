import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { describe } from 'vitest';
import { freePort } from './free-port.js';
import { describeWith } from './services.js';
import { until } from './until.js';

/** A `describe` for tests that need Prometheus and promtool, which comes with it. */
export const describePrometheus: typeof describe | typeof describe.skip = describeWith('prometheus', () =>
  ['prometheus', 'promtool'].every(answersVersion),
);

function answersVersion(binary: string): boolean {
  try {
    execFileSync(binary, ['--version'], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}

interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [time: number, value: string];
}

/** A Prometheus of a test's own, which scrapes and looks at its rules twice a second. */
export class TestPrometheus {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  /** @param rules the path of a file of rules @param token the server's METRICS_TOKEN */
  static async start(scraped: string, rules: string, token: string): Promise<TestPrometheus> {
    const folder = mkdtempSync(join(tmpdir(), 'rookery-prometheus-'));
    const config = {
      global: { scrape_interval: '500ms', scrape_timeout: '500ms', evaluation_interval: '500ms' },
      rule_files: [rules],
      scrape_configs: [
        { job_name: 'rookery', authorization: { credentials: token }, static_configs: [{ targets: [scraped] }] },
      ],
    };
    // JSON is YAML.
    writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config));
    const address = `127.0.0.1:${await freePort()}`;
    const args = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`];
    const child = spawn('prometheus', [...args, `--web.listen-address=${address}`], { stdio: 'ignore' });
    const prometheus = new TestPrometheus(`http://${address}`, child, folder);
    await until(() => prometheus.isReady(), 'Prometheus is ready');
    return prometheus;
  }

  /** What a query answers now. @throws Error with what Prometheus has against it */
  async query(expression: string): Promise<readonly Series[]> {
    const { result } = await this.get<{ result: readonly Series[] }>(
      `/api/v1/query?query=${encodeURIComponent(expression)}`,
    );
    return result;
  }

  async rules(): Promise<readonly { name: string; query: string; health: string; lastError?: string }[]> {
    const { groups } = await this.get<{ groups: readonly { rules: [] }[] }>('/api/v1/rules');
    return groups.flatMap(({ rules }) => rules);
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGKILL');
    await ended;
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async isReady(): Promise<boolean> {
    const answer = await fetch(`${this.url}/-/ready`).catch(() => undefined);
    return answer?.status === 200;
  }

  private async get<T>(path: string): Promise<T> {
    const answer = (await (await fetch(`${this.url}${path}`)).json()) as { status: string; error?: string; data: T };
    if (answer.status !== 'success') throw new Error(`${path}: ${answer.error}`);
    return answer.data;
  }
}
