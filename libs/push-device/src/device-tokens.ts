import { Injectable } from '@nestjs/common';
import { InstanceRepository } from './instances/instance.repository.js';
import { refusals } from './push-device.errors.js';
import { isUserId } from './user-id.js';
import { signUserToken } from './user-token.js';

/** The default lifetime of a token: a day, like those of the server SDKs. */
const defaultLifeSeconds = 86_400;

/**
 * Issues the Beams tokens that assign devices to a user: it does what `generateToken` of the server SDKs does, without
 * the secret key in the host's code. Call it only for the signed-in user, from the route that the client SDK's
 * `TokenProvider` calls.
 */
@Injectable()
export class DeviceTokens {
  constructor(private readonly instances: InstanceRepository) {}

  /**
   * A token of the user, in the shape that the client SDKs read: `{ "token": "<JWT>" }`.
   *
   * @param userId - 1 to 164 characters
   * @param lifeSeconds - a whole number above 0; a device keeps its user when the token ends. Default 86400, a day
   * @throws ApiError 404 for an unknown instance, 400 for an invalid user id; RangeError for an invalid lifetime
   */
  async issue(
    instanceId: string,
    userId: string,
    lifeSeconds = defaultLifeSeconds,
  ): Promise<{ readonly token: string }> {
    if (!Number.isSafeInteger(lifeSeconds) || lifeSeconds < 1)
      throw new RangeError(`DeviceTokens: lifeSeconds must be a whole number above 0, got ${String(lifeSeconds)}`);
    if (!isUserId(userId)) throw refusals.invalidSubject();
    const instance = await this.instances.find(instanceId);
    if (!instance) throw refusals.instanceNotFound();
    return { token: await signUserToken(userId, instance, Date.now(), lifeSeconds) };
  }
}
