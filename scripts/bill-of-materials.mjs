// Lists the packages that are bundled into ours, which an application's `npm audit` does not see: as CycloneDX 1.6, for
// scanners.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './from-sources.mjs';

/**
 * @param folder the folder of our package
 * @param folders those of the packages in it
 */
export function billOfMaterials(folder, folders) {
  const { name, version, license } = packageIn(join(root, folder));
  const components = folders.map((folder) => componentOf(packageIn(folder)));
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { ...componentOf({ name, version, license }), type: 'application' } },
    components: components.toSorted((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1)),
  };
}

/** The folders of the packages that contain the modules, without our own. */
export const packagesOf = (modules) =>
  [
    ...new Set(modules.flatMap((module) => /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module)?.[1] ?? [])),
  ].toSorted((a, b) => a.localeCompare(b));

export const packageIn = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

function componentOf({ name, version, license }) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const [, group, ownName] = /^(?:(@[^/]+)\/)?(.+)$/.exec(name);
  return {
    type: 'library',
    'bom-ref': purl,
    ...(group && { group }),
    name: ownName,
    version,
    purl,
    ...(typeof license === 'string' && { licenses: [{ expression: license }] }),
  };
}
