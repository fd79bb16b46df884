// Makes the console's pages from apps/console: in dist/console for the server, and in the package of the console's module.
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { root } from './from-sources.mjs';

await build({ configFile: join(root, 'apps/console/vite.config.mts'), logLevel: 'warn' });
const packed = join(root, 'libs/console/dist/pages');
rmSync(packed, { recursive: true, force: true });
cpSync(join(root, 'dist/console'), packed, { recursive: true });
