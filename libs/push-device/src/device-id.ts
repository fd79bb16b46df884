import { randomUUID } from 'node:crypto';
import { type Platform, platforms } from './platform.js';

/** `<platform>-<uuid4>`: the web SDK's own tests look for the platform in it (beams-wire §1). */
export const newDeviceId = (platform: Platform): string => `${platform}-${randomUUID()}`;

/** Whether a text can be the id of a device of the platform, ours or one that a customer brought along. */
export const isDeviceId = (platform: Platform, id: string): boolean =>
  id.length <= 100 && id.startsWith(`${platform}-`) && /^\w+-[\w-]+$/.test(id);

/** The platform of a device, which its id begins with; `undefined` for what can be no id. */
export const platformOf = (id: string): Platform | undefined => platforms.find((platform) => isDeviceId(platform, id));
