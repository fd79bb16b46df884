import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { messageOf, type PlatformRequest, StatusError } from '#http';
import type { Instance } from './instance.js';
import { InstanceGuard } from './instances/instance.guard.js';
import { refusals } from './push-device.errors.js';
import { bearerToken, verifyUserToken } from './user-token.js';

const userId = Symbol('rookery.userId');

type RequestOfUser = PlatformRequest & {
  readonly params: Readonly<Record<string, string>>;
  [userId]?: string;
};

const requestIn = (context: ExecutionContext) => context.switchToHttp().getRequest<RequestOfUser>();

/**
 * Requires a Beams token: `Authorization: Bearer <JWT>`, signed with the secret key of the instance that `:instanceId`
 * names (beams-wire §4). The method gets the user as `@CurrentUserId()`. If the path also names a `:userId`, it must
 * match the token's: 403 otherwise.
 */
@Injectable()
export class UserTokenGuard implements CanActivate {
  constructor(private readonly instances: InstanceGuard) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestIn(context);
    const instance = await this.instances.instanceOf(context);
    const user = await this.userOf(request, instance).catch((error: unknown) => {
      throw StatusError.in(context, error);
    });
    if ((request.params['userId'] ?? user) !== user) throw refusals.otherUsersPath().in(context);
    request[userId] = user;
    return true;
  }

  private async userOf(request: RequestOfUser, instance: Instance): Promise<string> {
    return verifyUserToken(bearerToken(messageOf(request).headers.authorization), instance, Date.now());
  }
}

/** The user whose token {@link UserTokenGuard} has verified, as a parameter of a controller's method. */
export const CurrentUserId = createParamDecorator((_: unknown, context: ExecutionContext): string => {
  const found = requestIn(context)[userId];
  if (found === undefined) throw new Error('@CurrentUserId() needs @UseGuards(UserTokenGuard) on its route');
  return found;
});
