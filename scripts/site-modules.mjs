// Installs what the site of the pages is built with, unless site/node_modules is as its lock file says.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const site = fileURLToPath(new URL('../site/', import.meta.url));

/** The versions of packages by path; none if the file is missing. */
function versionsIn(path) {
  try {
    const { packages } = JSON.parse(readFileSync(site + path, 'utf8'));
    return Object.entries(packages).filter(([name]) => name !== '');
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

/** npm writes what it has installed beside it; packages for other platforms are left out. */
function isInstalled() {
  const installed = new Map(
    versionsIn('node_modules/.package-lock.json').map(([name, { version }]) => [name, version]),
  );
  return versionsIn('package-lock.json').every(
    ([name, { version, optional }]) => installed.get(name) === version || (optional && !installed.has(name)),
  );
}

if (!isInstalled()) {
  const npm = ['ci', '--prefix', site, '--prefer-offline', '--loglevel=error'];
  const { status } = spawnSync('npm', npm, { stdio: 'inherit', shell: process.platform === 'win32' });
  process.exitCode = status ?? 1;
}
