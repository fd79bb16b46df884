import { createECDH, randomBytes, randomInt, randomUUID } from 'node:crypto';
import { Command } from 'commander';
import { examples } from '../examples.js';
import { printJson } from '../output.js';

export const keys = (): Command =>
  new Command('keys')
    .summary('generate keys for an app, a push instance, or web push')
    .description('Generates new keys and prints them as JSON, for the configuration file. Nothing is stored.')
    .addCommand(app())
    .addCommand(instance())
    .addCommand(vapid())
    .helpCommand(false);

const app = (): Command =>
  new Command('app')
    .summary('id, key and secret of an app')
    .description('Generates id, key and secret of an app, for `apps` or PUSHER_APP_ID, _KEY and _SECRET.')
    .addHelpText('after', examples(['rookery keys app', '{ "id": …, "key": …, "secret": … }']))
    .action(() => printJson(newApp()));

export const newApp = (): { readonly id: string; readonly key: string; readonly secret: string } => ({
  id: String(randomInt(100_000, 10_000_000)),
  key: randomBytes(10).toString('hex'),
  secret: randomBytes(32).toString('hex'),
});

const instance = (): Command =>
  new Command('instance')
    .summary('id and secret key of a push instance')
    .description(
      'Generates id and secret key of a push instance, for `instances` or BEAMS_INSTANCE_ID and BEAMS_SECRET_KEY.',
    )
    .addHelpText('after', examples(['rookery keys instance', '{ "id": …, "secretKey": … }']))
    .action(() => printJson(newInstance()));

export const newInstance = (): { readonly id: string; readonly secretKey: string } => ({
  id: randomUUID(),
  secretKey: randomBytes(32).toString('hex').toUpperCase(),
});

const vapid = (): Command =>
  new Command('vapid')
    .summary('a key pair for web push')
    .description(
      'Generates the VAPID key pair for `web` of a push instance. Browsers bind their subscriptions to it: when ' +
        'you replace it, keep it among `previous`.',
    )
    .option('--subject <address>', 'your mailto: or https: address', 'mailto:you@example.com')
    .addHelpText('after', examples(['rookery keys vapid --subject mailto:me@my.example', 'with your address']))
    .action(({ subject }: { readonly subject: string }) => printJson({ ...vapidKeys(), subject }));

function vapidKeys(): { readonly vapidPublicKey: string; readonly vapidPrivateKey: string } {
  const pair = createECDH('prime256v1');
  const vapidPublicKey = pair.generateKeys('base64url');
  // A private key with leading zeros is printed shorter than the expected 32 bytes.
  const scalar = pair.getPrivateKey();
  return {
    vapidPublicKey,
    vapidPrivateKey: Buffer.concat([Buffer.alloc(32 - scalar.length), scalar]).toString('base64url'),
  };
}
