import type { AppConfig } from 'rookery/channels';
import type { Instance } from 'rookery/push-device';

// What a server without configuration serves, so that the first event and the first notification need none. Everybody
// knows these secrets: production never serves them, and only this machine may use the instance.

export const developmentApp: AppConfig = { id: 'app-id', key: 'app-key', secret: 'app-secret', clientEvents: true };

/** For web push, which needs no account of a vendor: its keys sign for any browser. */
export const developmentInstance: Instance = {
  id: '11111111-1111-4111-8111-111111111111',
  name: 'Trial',
  secretKey: 'instance-secret',
  web: {
    vapidPublicKey: 'BJ5Mm0e69-wuzsqUqDmgMOzYMxr4b7JSkZB_Yxud2TVoj8xXGT6A9O0qNCuFia-27OtKDP-4DBgv0AigqACOGfI',
    vapidPrivateKey: 'udYdxS0S3FSuTfuv08pAApXoTzff3CshL5RWP2XChlU',
    subject: 'mailto:development@rookery.invalid',
  },
};
