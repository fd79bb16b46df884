import { defineConfig, type Plugin } from 'vite';
import { billOfMaterials, packagesOf } from '../../scripts/bill-of-materials.mjs';

/** One page of a few files with hashed names, nothing inline: the server's policy lets nothing else run. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  resolve: { dedupe: ['preact'] },
  plugins: [listOfPackages()],
  build: {
    outDir: '../../dist/console',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The licences of what is bundled ask for their notices.
    license: { fileName: 'LICENSES.md' },
    target: 'baseline-widely-available',
  },
});

/** Writes which packages the pages consist of, for scanners; the server does not serve it. */
function listOfPackages(): Plugin {
  return {
    name: 'list-of-packages',
    apply: 'build',
    generateBundle(_, bundle) {
      const modules = Object.values(bundle).flatMap((chunk) => ('modules' in chunk ? Object.keys(chunk.modules) : []));
      const source = JSON.stringify(billOfMaterials('libs/console', packagesOf(modules)), null, 2);
      this.emitFile({ type: 'asset', fileName: 'sbom.cdx.json', source });
    },
  };
}
