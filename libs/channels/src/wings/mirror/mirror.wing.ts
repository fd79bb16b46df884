import type { Wing } from '../wing.js';
import { MirrorClient } from './mirror-client.js';
import { MirrorService } from './mirror.service.js';
import { MirrorStep } from './mirror.step.js';

/** Forwards what servers do with an app to another server (docs/mirror.md). */
export const mirror = {
  providers: [MirrorService],
  step: MirrorStep,
  client: (client, apps) => MirrorClient.beside(client, apps),
} satisfies Wing;
