import { Injectable, type OnModuleInit } from '@nestjs/common';
import { createECDH } from 'node:crypto';
import { StoredAppRepository } from './ports/app.repository.js';
import { StoredInstanceRepository } from './ports/instance.repository.js';

export const appId = 'shop';
export const instanceId = '5b0a7c0e-6c1f-4f0b-9f5e-2a8d3c4b1e70';

/** Adds an app and an instance to an empty store. Yours come from your sign-up process. */
@Injectable()
export class FirstStart implements OnModuleInit {
  constructor(
    private readonly apps: StoredAppRepository,
    private readonly instances: StoredInstanceRepository,
  ) {}

  async onModuleInit(): Promise<void> {
    if (!(await this.apps.findById(appId))) await this.apps.save({ id: appId, key: 'key', secret: 'secret' });
    if (await this.instances.find(instanceId)) return;
    const web = { ...vapidKeys(), subject: 'mailto:you@example.com' };
    await this.instances.save({ id: instanceId, secretKey: 'secret', web });
  }
}

/** Browsers bind their subscriptions to the public key, so the pair is created once and kept. */
function vapidKeys(): { readonly vapidPublicKey: string; readonly vapidPrivateKey: string } {
  const keys = createECDH('prime256v1');
  const vapidPublicKey = keys.generateKeys('base64url');
  const vapidPrivateKey = Buffer.from(keys.getPrivateKey('hex').padStart(64, '0'), 'hex').toString('base64url');
  return { vapidPublicKey, vapidPrivateKey };
}
