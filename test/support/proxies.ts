import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A proxy that is installed, and how it is run. */
export interface Proxy {
  readonly binary: string;
  readonly file: string;
  /** The files and arguments to run it with, in a folder of the test's own. */
  readonly run: (config: string, folder: string) => readonly string[];
}

const modules = '/usr/lib/apache2/modules';
export const proxies: readonly Proxy[] = [
  {
    binary: 'nginx',
    file: 'nginx.conf',
    run(config, folder) {
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (n) => `${n}_temp_path ${folder}/${n};`,
      );
      const http = `access_log off;\n${temporary.join('\n')}\n${config}`;
      const main = `daemon off; pid ${folder}/pid; error_log ${folder}/log; events {}\nhttp {\n${http}\n}`;
      writeFileSync(join(folder, 'main.conf'), main);
      return ['-c', join(folder, 'main.conf'), '-e', join(folder, 'log')];
    },
  },
  {
    binary: 'haproxy',
    file: 'haproxy.cfg',
    run(config, folder) {
      writeFileSync(join(folder, 'main.cfg'), config);
      return ['-f', join(folder, 'main.cfg'), '-db'];
    },
  },
  {
    binary: 'caddy',
    file: 'Caddyfile',
    run(config, folder) {
      writeFileSync(join(folder, 'Caddyfile'), `{\n\tadmin off\n}\n${config}`);
      return ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'];
    },
  },
  {
    binary: 'apache2',
    file: 'apache.conf',
    run(config, folder) {
      const loaded = ['mpm_event', 'authz_core', 'proxy', 'proxy_http', 'headers'];
      const balancing = ['slotmem_shm', 'proxy_balancer', 'lbmethod_byrequests', 'proxy_hcheck'];
      if (config.includes('balancer:')) loaded.push(...balancing);
      const main = [
        ...loaded.map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`),
        `ServerName localhost\nPidFile ${folder}/pid\nErrorLog ${folder}/log\nMutex fcntl:${folder}`,
        // Each WebSocket occupies a thread.
        'ThreadLimit 128\nThreadsPerChild 128\nMaxRequestWorkers 128',
        `Listen ${/\*:(\d+)/.exec(config)?.[1]}`,
        config,
      ];
      writeFileSync(join(folder, 'main.conf'), main.join('\n'));
      // -X: one process, which serves as well.
      return ['-X', '-f', join(folder, 'main.conf')];
    },
  },
];
