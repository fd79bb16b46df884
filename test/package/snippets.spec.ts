import { expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { faultsOf } from '../support/checked-snippets.js';
import { docSnippets, docSurroundings, knownFaults, withoutLine } from '../support/doc-surroundings.js';
import { describePackage, tarballsOf, folderWith, minutes } from './installed.js';
import { npmInstall, root } from './workshop.js';

/** What the reader of a page has installed beside the packages. */
const beside = [
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/platform-fastify',
  '@nestjs/platform-socket.io',
  '@nestjs/swagger',
  '@nestjs/testing',
  '@nestjs/websockets',
  '@pusher/push-notifications-server',
  '@pusher/push-notifications-web',
  '@socket.io/redis-adapter',
  '@types/node',
  'ai',
  'ioredis',
  'pusher',
  'pusher-js',
  'reflect-metadata',
  'rxjs',
  'socket.io-client',
  'typeorm',
  'vitest',
  'vue',
] as const;

describePackage('a project that has the packed packages and the SDKs alone', () => {
  it(
    'compiles all code of the pages as it is written, strictly',
    async () => {
      const { devDependencies, dependencies } = packageJson;
      const folder = folderWith('reader', {
        'package.json': {
          private: true,
          dependencies: {
            ...Object.fromEntries(beside.map((name) => [name, devDependencies[name]])),
            'class-validator': dependencies['class-validator'],
            ...tarballsOf(),
          },
        },
      });
      await npmInstall(folder);
      const faults = faultsOf(folder, docSnippets(root), docSurroundings).map(withoutLine);
      expect(faults.toSorted()).toEqual(Object.keys(knownFaults).toSorted());
    },
    minutes(6),
  );
});
