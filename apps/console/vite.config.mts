import { defineConfig } from 'vite';

/** One page of a few files with hashed names, nothing inline: the server's policy lets nothing else run. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  resolve: { dedupe: ['preact'] },
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
