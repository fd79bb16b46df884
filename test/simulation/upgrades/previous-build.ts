import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { previousRelease } from '../../support/previous-release.js';
import type { Build } from '../builds.js';

/** The folder of the bundle, dist/simulation: from there, the packages of the repository are found. */
const here = import.meta.dirname;

let loaded: Promise<Build> | undefined;

/** The nodes of the release before this one. */
export const previousBuild = (): Promise<Build> => (loaded ??= load());

async function load(): Promise<Build> {
  const packed = join(here, '../../test/releases', `${previousRelease}-node.mjs.gz`);
  const file = join(here, `${previousRelease}-node.mjs`);
  // Another process may read it meanwhile.
  writeFileSync(`${file}.${process.pid}`, gunzipSync(readFileSync(packed)));
  renameSync(`${file}.${process.pid}`, file);
  return (await import(pathToFileURL(file).href)) as Build;
}
