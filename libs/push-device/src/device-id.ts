import { randomUUID } from 'node:crypto';
import { type Platform, platforms } from './platform.js';

/** `<platform>-<uuid4>`: the web SDK's own tests look for the platform in it (beams-wire §1). */
export const newDeviceId = (platform: Platform): string => `${platform}-${randomUUID()}`;

/** Whether a text has the form of a device id of the platform, either ours or one imported by a customer. */
export const isDeviceId = (platform: Platform, id: string): boolean =>
  id.length <= 100 && id.startsWith(`${platform}-`) && /^\w+-[\w-]+$/.test(id);

/** The platform in a device id; `undefined` if the text cannot be one. */
export const platformOf = (id: string): Platform | undefined => platforms.find((platform) => isDeviceId(platform, id));
