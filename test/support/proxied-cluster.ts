import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ClusterSettings, TestCluster } from './cluster.js';
import { freePort } from './free-port.js';
import { pathOf } from './programs.js';
import type { Proxy } from './proxies.js';
import type { ServerProcess } from './server-process.js';
import { until } from './until.js';

/** Three processes behind a proxy, with its configuration in ops/proxies/several. */
export class ProxiedCluster {
  readonly processes: ServerProcess[] = [];
  readonly cluster: TestCluster;
  private readonly folder: string;
  private proxy: ChildProcess | undefined;

  private constructor(
    private readonly installed: Proxy,
    settings: ClusterSettings,
    /** The proxy's. */
    readonly port: number,
    private readonly ports: readonly number[],
  ) {
    const environment = { TRUST_PROXY: '127.0.0.1', ...settings.environment };
    this.cluster = new TestCluster({ ...settings, environment });
    this.folder = mkdtempSync(join(tmpdir(), `rookery-${installed.binary}-`));
  }

  static async start(proxy: Proxy, settings: ClusterSettings): Promise<ProxiedCluster> {
    const ports = await Promise.all([freePort(), freePort(), freePort()]);
    const proxied = new ProxiedCluster(proxy, settings, await freePort(), ports);
    for (const port of ports) proxied.processes.push(await proxied.cluster.add({ PORT: String(port) }));
    await proxied.startProxy();
    return proxied;
  }

  /** Starts a process on the port of one that has ended. */
  async replace(n: number): Promise<void> {
    this.cluster.processes.splice(this.cluster.processes.indexOf(this.processes[n]!), 1);
    this.processes[n] = await this.cluster.add({ PORT: String(this.ports[n]) });
  }

  async stop(): Promise<void> {
    const { proxy, installed } = this;
    proxy?.kill('SIGTERM');
    await this.cluster.stop();
    const ended = () => !proxy || proxy.exitCode !== null || proxy.signalCode !== null;
    // Apache waits for its health checks.
    if (!ended()) proxy!.kill(installed.binary === 'apache2' ? 'SIGKILL' : 'SIGTERM');
    await until(ended, `${installed.binary} has ended`);
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async startProxy(): Promise<void> {
    const { ports, port, folder } = this;
    const { binary, file, run } = this.installed;
    const config = readFileSync(fileURLToPath(new URL(`../../ops/proxies/several/${file}`, import.meta.url)), 'utf8')
      .replaceAll(/127\.0\.0\.1:600(\d)/g, (_, n: string) => `127.0.0.1:${ports[Number(n) - 1]}`)
      .replace(/(listen |\*:|^:|bind :)80\b/m, `$1${port}`);
    this.proxy = spawn(pathOf(binary)!, run(config, folder), {
      stdio: 'ignore',
      env: { ...process.env, HOME: folder },
    });
    const answers = async () => (await fetch(`http://127.0.0.1:${port}/apps`).catch(() => undefined)) !== undefined;
    await until(answers, `${binary} listens`);
  }
}
