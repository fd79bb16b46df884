import type { Command } from 'commander';
import type { PublishRequest } from '@rookery/client/server';
import { WrongUse } from '../fault.js';

/** What a notification shows. */
export interface ContentOptions {
  readonly title?: string;
  readonly body?: string;
  readonly payload?: string;
}

export const withContentOptions = (command: Command): Command =>
  command
    .option('--title <text>', 'title of the notification')
    .option('--body <text>', 'its text')
    .option('--payload <json>', 'JSON object with apns, fcm and web, instead of title and body');

/** The payloads for each platform; undefined without content. @throws WrongUse */
export function contentOf({ title, body, payload }: ContentOptions): PublishRequest | undefined {
  if (payload !== undefined) return parsed(payload);
  if (title === undefined && body === undefined) return undefined;
  const notification = { title, body };
  return { apns: { aps: { alert: notification } }, fcm: { notification }, web: { notification } };
}

function parsed(payload: string): PublishRequest {
  try {
    return JSON.parse(payload) as PublishRequest; // The server checks it.
  } catch (error) {
    throw new WrongUse(`--payload must be JSON: ${(error as Error).message}`);
  }
}
