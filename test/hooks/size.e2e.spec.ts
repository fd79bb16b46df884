import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { bundled } from '../support/bundle.js';

it.each(['react', 'vue'] as const)(
  'The hooks for %s add at most 3 kB to a page, minified and gzipped',
  async (name) => {
    const { code } = await bundled(name, 'es', '*', [name]);
    expect(code).toContain('useChannelState');
    expect(gzipSync(code).length).toBeLessThan(3000);
  },
);
