import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describePackage, folderWith, node, packagesIn, tarballOf } from './installed.js';
import { npmInstall, root, run } from './workshop.js';

const client = (): string => tarballOf('@rookery/client');

describePackage('the packed client', () => {
  it('installs alone, in less than 1 MB', async () => {
    const folder = folderWith('page', { 'package.json': { private: true } });
    await npmInstall(folder, client());
    const { names, bytes } = packagesIn(folder);
    expect(names).toEqual(['node_modules/@rookery/client']);
    expect(bytes).toBeLessThan(1e6);
    const entries = ['', '/ai', '/events', '/server'];
    const program = `for (const path of ${JSON.stringify(entries)}) console.log(typeof await import('@rookery/client' + path))`;
    expect(await run(node(20.19), ['--input-type=module', '-e', program], folder)).toBe('object\n'.repeat(4));
  });

  it.each(['ai@6', 'ai@7', 'pusher-js@8', 'react@18', 'react@19', 'vue@3'])('installs beside %s', async (beside) => {
    const folder = folderWith(beside, { 'package.json': { private: true } });
    expect(await npmInstall(folder, client(), beside, '--dry-run')).toMatch(/added \d+ packages/);
  });

  it.each([18, 19])('has hooks that a fresh project compiles and runs with React %d', async (major) => {
    const beside = [
      `react@${major}`,
      `react-dom@${major}`,
      `@types/react@${major}`,
      `@types/react-dom@${major}`,
      'vue@3',
      'pusher-js@8',
    ];
    const folder = folderWith(`hooks with React ${major}`, {
      'package.json': { private: true, type: 'module' },
      'tsconfig.json': {
        compilerOptions: {
          module: 'esnext',
          moduleResolution: 'bundler',
          target: 'es2022',
          strict: true,
          jsx: 'react-jsx',
          lib: ['es2023', 'dom'],
        },
        include: ['page.tsx'],
      },
      'page.tsx': page,
    });
    await npmInstall(folder, client(), ...beside, '@types/node@20');
    await run(node(20.19), [join(root, 'node_modules/typescript/bin/tsc')], folder);
    expect(await run(node(20.19), ['page.js'], folder)).toBe('<p>subscribing: 0 of 3 unread</p>\nsymbol\n');
  });
});

const page = `
import type Pusher from 'pusher-js';
import { renderToString } from 'react-dom/server';
import { dataOf, defineEvents } from '@rookery/client/events';
import { ChannelsProvider, typedHooks, usePresence, useUnread } from '@rookery/client/react';
import { clientKey } from '@rookery/client/vue';

const events = defineEvents({ 'presence-room.{name}': { topic: dataOf<{ readonly text: string }>() } });
const { useChannel, useEvent } = typedHooks<typeof events>();

function Room({ name }: { readonly name: string }) {
  const { status } = useChannel(\`presence-room.\${name}\`);
  const { members } = usePresence<{ readonly name: string }>(\`presence-room.\${name}\`);
  useEvent(\`presence-room.\${name}\`, 'topic', ({ text }) => console.log(text.toUpperCase()));
  return <p>{\`\${status}: \${members.length} of \${useUnread(3)} unread\`}</p>;
}

const page = (client: Pusher | undefined) => <ChannelsProvider client={client}><Room name="kitchen" /></ChannelsProvider>;
console.log(renderToString(page(undefined)));
console.log(typeof clientKey);
`;
