import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type {
  ApnsCredentials,
  FcmCredentials,
  FcmServiceAccount,
  Instance,
  InstanceWebhook,
  WebCredentials,
} from 'rookery/push-device';
import { anything, type Field, list, object, oneOf, optional, text, webAddress } from './fields.js';

/**
 * The push instances of the configuration file. Files that it names are looked for beside it.
 * @param folder - where the configuration file is
 */
export function parseInstances(value: unknown, folder: string): readonly Instance[] {
  return list((field) => instance(field, folder))({ path: 'instances', value });
}

function instance(field: Field, folder: string): Instance {
  const at = object(field, ['id', 'secretKey', 'apns', 'fcm', 'web', 'webhooks']);
  return {
    id: text(at('id')),
    secretKey: text(at('secretKey')),
    ...optional('apns', at('apns'), (apns) => apnsCredentials(apns, folder)),
    ...optional('fcm', at('fcm'), (fcm) => fcmCredentials(fcm, folder)),
    ...optional('web', at('web'), webCredentials),
    ...optional('webhooks', at('webhooks'), list(webhook)),
  };
}

function apnsCredentials(field: Field, folder: string): ApnsCredentials {
  const at = object(field, ['key', 'keyFile', 'keyId', 'teamId', 'endpoint']);
  return {
    key: hereOrInFile(at('key'), at('keyFile'), folder, text),
    keyId: text(at('keyId')),
    teamId: text(at('teamId')),
    ...optional('endpoint', at('endpoint'), text),
  };
}

function fcmCredentials(field: Field, folder: string): FcmCredentials {
  const at = object(field, ['serviceAccount', 'serviceAccountFile', 'endpoint']);
  const file = at('serviceAccountFile');
  return {
    serviceAccount: hereOrInFile(at('serviceAccount'), file, folder, ({ path, value }) =>
      serviceAccount({ path, value: typeof value === 'string' ? parsed({ path, value }) : value }),
    ),
    ...optional('endpoint', at('endpoint'), text),
  };
}

/** Google's file has more fields than these; they are of no use here. */
function serviceAccount(field: Field): FcmServiceAccount {
  const names = Object.keys(typeof field.value === 'object' && field.value !== null ? field.value : {});
  const at = object(field, names);
  return {
    project_id: text(at('project_id')),
    client_email: text(at('client_email')),
    private_key: text(at('private_key')),
    ...optional('private_key_id', at('private_key_id'), text),
    ...optional('token_uri', at('token_uri'), text),
  };
}

function webCredentials(field: Field): WebCredentials {
  const at = object(field, ['vapidPublicKey', 'vapidPrivateKey', 'subject']);
  return {
    vapidPublicKey: text(at('vapidPublicKey')),
    vapidPrivateKey: text(at('vapidPrivateKey')),
    subject: text(at('subject')),
  };
}

/** The events of configured webhooks (beams-wire §7.1). */
const webhookEvents = ['v1.PublishToUsersAttempt', 'v1.UserNotificationAcknowledgement', 'v1.UserNotificationOpen'];

function webhook(field: Field): InstanceWebhook {
  const at = object(field, ['url', 'secret', 'events', 'customData']);
  return {
    url: webAddress(at('url')),
    secret: text(at('secret')),
    events: list(oneOf(webhookEvents))(at('events')),
    ...optional('customData', at('customData'), anything),
  };
}

/** A value that stands in the configuration itself or in a file that it names: exactly one of them. */
function hereOrInFile<T>(here: Field, file: Field, folder: string, check: (field: Field) => T): T {
  if ((here.value === undefined) === (file.value === undefined))
    throw new Error(`${here.path} or ${file.path} must be there, one of them`);
  return check(file.value === undefined ? here : { path: file.path, value: contents(file, folder) });
}

function contents(file: Field, folder: string): string {
  const path = resolve(folder, text(file));
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`${file.path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

function parsed({ path, value }: { readonly path: string; readonly value: string }): unknown {
  try {
    return JSON.parse(value);
  } catch {
    // The parser's message would show a part of the key.
    throw new Error(`${path} must hold JSON`);
  }
}
