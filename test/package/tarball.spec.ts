import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { expect, it } from 'vitest';
import { describePackage, folderWith, minutes, node, tarball, tarballOf } from './installed.js';
import { npmInstall, run } from './workshop.js';

/** A folder in which nothing but the package is installed: once for all tests, none of which may change it. */
async function installedAlone(): Promise<string> {
  const folder = folderWith('alone', {});
  // npm writes this file last.
  if (!existsSync(join(folder, 'node_modules/.package-lock.json'))) {
    folderWith('alone', { 'package.json': { private: true } });
    await npmInstall(folder, tarball);
  }
  return folder;
}

describePackage('the packed package', () => {
  it('contains exactly what a reader needs', async () => {
    const files = (await run('tar', ['tzf', tarball], dirname(tarball)))
      .trim()
      .split('\n')
      .map((path) => path.slice('package/'.length));
    expect(files).toEqual(expect.arrayContaining(['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'LICENSE']));
    for (const path of files)
      expect(path).toMatch(
        /^([A-Z]+(\.md)?|package\.json|libs\/schematics\/(collection|schema)\.json|(docs|examples)\/.*|dist\/modules\/.*|dist\/libs\/[^/]+\/src\/.*\.d\.[cm]?ts)$/,
      );
    expect(files.filter((path) => /\.spec\.|tsbuildinfo/.test(path))).toEqual([]);
    const folder = folderWith('unpacked', {});
    await run('tar', ['xzf', tarball], folder);
    const compiled = readFileSync(join(folder, 'package/dist/modules/channels.js'), 'utf8');
    expect(compiled, 'no file that is not there is named').not.toContain('sourceMappingURL');
    const modules = files.filter((path) => /^dist\/modules\/.*\.c?js$/.test(path));
    const importing = modules.filter((path) => /\bimport\(/.test(readFileSync(join(folder, 'package', path), 'utf8')));
    expect(importing, 'Jest refuses import()').toEqual([]);
  });

  it("links only to packed files, to the server's in ops, or to the web", async () => {
    const filesOf = async (file: string) => (await run('tar', ['tzf', file], dirname(file))).trim().split('\n');
    const files = await filesOf(tarball);
    const ops = (await filesOf(tarballOf('@rookery/server'))).filter((path) => path.startsWith('package/ops/'));
    const folders = [...files, ...ops].flatMap((path) =>
      path.split('/').map((_, depth, parts) => parts.slice(0, depth).join('/')),
    );
    const isThere = new Set([...files, ...ops, ...folders]);
    const folder = folderWith('pages', {});
    await run('tar', ['xzf', tarball], folder);
    const links = files
      .filter((path) => path.endsWith('.md'))
      .flatMap((page) => linksOf(readFileSync(join(folder, page), 'utf8')).map((link) => ({ page, link })));
    expect(links.length).toBeGreaterThan(100);
    const target = (page: string, link: string) => posix.join(dirname(page), link.replace(/[#?].*$/, ''));
    expect(links.filter(({ page, link }) => !isThere.has(target(page, link).replace(/\/$/, '')))).toEqual([]);
  });

  it(
    "adds few files to a host's start",
    async () => {
      const folder = await installedAlone();
      const modules = ['authorization', 'channels', 'notifications', 'presence', 'publish', 'push-device'];
      const program = `
        require('reflect-metadata');
        for (const name of ${JSON.stringify(modules)}) require('rookery/' + name);
        console.log(JSON.stringify(Object.keys(require.cache)));`;
      const files = JSON.parse(await run(node(20), ['-e', program], folder)) as string[];
      const ofPackage = (name: string) => files.filter((file) => file.includes(`/node_modules/${name}/`)).length;
      expect(ofPackage('rookery')).toBeLessThan(20);
      // They have hundreds, of which a few functions are needed.
      for (const name of ['class-validator', 'libphonenumber-js', 'validator', '@opentelemetry/api'])
        expect(ofPackage(name), name).toBe(0);
      expect(ofPackage('prom-client')).toBeLessThan(12);
    },
    minutes(2),
  );

  it(
    "knows the host's prom-client and OpenTelemetry, also when they are loaded later",
    async () => {
      const program = `
        require('reflect-metadata');
        // Hosts cannot import it by name.
        const { traced } = require('./node_modules/rookery/dist/modules/common.js');
        const { registry } = new (require('rookery/channels').ChannelsMetrics)();
        const isRegistry = registry instanceof require('prom-client').Registry;
        const span = { isRecording: () => true, spanContext: () => ({}), end: () => {} };
        const provider = { getTracer: () => ({ startSpan: () => span }) };
        const before = traced('work', 'PRODUCER', {});
        require('@opentelemetry/api').trace.setGlobalTracerProvider(provider);
        const after = traced('work', 'PRODUCER', {});
        console.log(JSON.stringify({ isRegistry, traced: [before, after].map(Boolean) }));`;
      const told = JSON.parse(await run(node(20), ['-e', program], await installedAlone())) as object;
      expect(told).toEqual({ isRegistry: true, traced: [false, true] });
    },
    minutes(2),
  );

  it.each([
    ['better-sqlite3 13', { 'better-sqlite3': '^13.0.0' }],
    ['TypeORM 0.3 and better-sqlite3 11', { typeorm: '^0.3.0', 'better-sqlite3': '^11.0.0' }],
    ['TypeORM 1 and better-sqlite3 12', { typeorm: '^1.0.0', 'better-sqlite3': '^12.0.0' }],
    ['ioredis 6', { ioredis: '^6.0.0' }],
  ])(
    'installs beside %s, without a conflict of peers',
    async (name, beside) => {
      const folder = folderWith(`beside ${name}`, {
        'package.json': {
          private: true,
          dependencies: {
            '@nestjs/common': '^11.0.0',
            '@nestjs/core': '^11.0.0',
            ...beside,
            rookery: `file:${tarball}`,
          },
        },
      });
      const installing = npmInstall(folder, '--package-lock-only', '--strict-peer-deps');
      await expect(installing).resolves.not.toThrow();
    },
    minutes(2),
  );

  it(
    'refuses TypeORM 0.3.20 as a peer, and names the required version where it is installed even so',
    async () => {
      const nest = { '@nestjs/common': '11.2.10', '@nestjs/core': '11.2.10', '@nestjs/typeorm': '^11.0.0' };
      const ofNest = { rxjs: '^7.0.0', 'reflect-metadata': '^0.2.0' };
      const dependencies = { ...nest, ...ofNest, typeorm: '0.3.20', rookery: `file:${tarball}` };
      const folder = folderWith('old TypeORM', { 'package.json': { private: true, dependencies } });
      await expect(npmInstall(folder)).rejects.toThrow('typeorm@"^0.3.23 || ^1.0.0"');
      await npmInstall(folder, '--legacy-peer-deps');
      await expect(run(node(24), ['-e', 'require("rookery/typeorm")'], folder)).rejects.toThrow(
        'rookery/typeorm needs TypeORM 0.3.23 or later',
      );
    },
    minutes(2),
  );
});

/** The targets of a page's links to other files. */
const linksOf = (markdown: string): string[] =>
  [...markdown.replace(/^```.*?^```/gms, '').matchAll(/\]\(([^()\s]+)\)|(?:src|href)="([^"]+)"/g)]
    .map(([, link, attribute]) => link ?? attribute!)
    .filter((link) => !/^(#|[a-z]+:)/i.test(link));
