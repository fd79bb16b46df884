import { isPlatform } from '../platform.js';
import { refusals } from '../push-device.errors.js';
import { deviceApiPrefix } from './device-api.js';

/** Refuses a path without an id or a name (api § Errors: Incomplete Request). */
export function assertComplete(method: string, path: string): void {
  const [, below = ''] = path.split(`${deviceApiPrefix}/instances/`);
  const [instanceId, resource, platform, deviceId, part, name = ''] = below.split('/');
  if (path.includes(`${deviceApiPrefix}/instances/`) && instanceId === '') throw refusals.missingInstanceId();
  if (resource !== 'devices' || !isPlatform(platform)) return;
  const isRegistration = method === 'POST' && part === undefined;
  if (deviceId === '' && !isRegistration) throw refusals.missingDeviceId();
  const namesInterest = part === 'interests' && (method === 'POST' || method === 'DELETE');
  if (namesInterest && name === '') throw refusals.missingInterestName();
}
