import { resolve } from 'node:path';
import { settingsOf } from 'rookery/internal/common';
import {
  type ApnsCredentials,
  type FcmCredentials,
  FcmServiceAccount,
  type Instance,
  isApnsKey,
} from 'rookery/internal/push-device';
import { fileText } from './file-text.js';
import type { ApnsInFile, FcmInFile, InstanceInFile } from './config-file.js';

/**
 * A push instance of the configuration file, with keys loaded from files of their own.
 * @param folder - the configuration file's folder, to which their names are relative
 */
export function withKeys({ apns, fcm, ...instance }: InstanceInFile, index: number, folder: string): Instance {
  const path = `instances[${index}]`;
  return {
    ...instance,
    ...(apns && { apns: apnsWithKey(apns, `${path}.apns`, folder) }),
    ...(fcm && { fcm: fcmWithAccount(fcm, `${path}.fcm`, folder) }),
  };
}

function apnsWithKey({ keyFile, ...apns }: ApnsInFile, path: string, folder: string): ApnsCredentials {
  exactlyOne(apns.key, `${path}.key`, keyFile, `${path}.keyFile`);
  if (keyFile === undefined) return apns;
  const key = contents(keyFile, `${path}.keyFile`, folder);
  if (!isApnsKey(key)) throw new Error(`${path}.keyFile must name an Apple .p8 file, got ${JSON.stringify(keyFile)}`);
  return { ...apns, key };
}

function fcmWithAccount({ serviceAccountFile, ...fcm }: FcmInFile, path: string, folder: string): FcmCredentials {
  const filePath = `${path}.serviceAccountFile`;
  exactlyOne(fcm.serviceAccount, `${path}.serviceAccount`, serviceAccountFile, filePath);
  if (serviceAccountFile === undefined) return fcm;
  const account = parsed(contents(serviceAccountFile, filePath, folder), filePath);
  return { ...fcm, serviceAccount: settingsOf(FcmServiceAccount, account, { path: filePath }) };
}

/** A value is set either directly or in a file. */
function exactlyOne(here: unknown, herePath: string, file: unknown, filePath: string): void {
  if ((here === undefined) === (file === undefined)) throw new Error(`set either ${herePath} or ${filePath}`);
}

function contents(file: string, path: string, folder: string): string {
  try {
    return fileText(resolve(folder, file));
  } catch (error) {
    throw new Error(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message would show a part of the key.
    throw new Error(`${path} must hold JSON`);
  }
}
