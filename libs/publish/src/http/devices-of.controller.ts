import { Get, Injectable, type PipeTransform, Query, UseGuards } from '@nestjs/common';
import { cursorAfter, describing, PathTail, RookeryController } from '#http';
import {
  type PublishTarget,
  AuthorizationGuard,
  CurrentInstance,
  type DeviceAddress,
  deviceRefusals,
  DevicesService,
  type Instance,
  InstanceKeyGuard,
  isInterest,
  parseCursor,
  parseLimit,
  platformOf,
} from 'rookery/internal/push-device';
import { pathBefore } from '../access/path-before.js';
import { maxInterests } from '../publish-body.js';
import { tooManyInterests, userIdTooLong } from '../publish.errors.js';
import { badPage, WithKey } from '../access/with-key.js';
import { devicesOf, userId as userInPath } from './described-answers.js';
import { PublishInstanceGuard } from '../access/instance-guards.js';
import { UserInPath, UserInPathGuard } from './user-in-path.js';

const { answer, inPath, may, pageParameters, text } = describing;

const endpoint = (of: string, parameters: readonly object[], refuses: () => readonly Error[]) => () => ({
  path: `/customer_api/v1/instances/{instanceId}/${of}/devices`,
  parameters: [...parameters, ...pageParameters],
  answers: answer('One page', devicesOf),
  refuses: [...badPage(), ...refuses()],
});

const names = { type: 'array', items: text };
const ofInterest = [
  inPath('interest', 'The name of the interest', text, 'hello'),
  may('allOf', 'Only devices subscribed to all of these interests', names),
  may('noneOf', 'Only devices subscribed to none of these interests', names),
];
const badInterests = () => [deviceRefusals.invalidInterest(), tooManyInterests()];

@Injectable()
export class DevicesOfInterestPipe implements PipeTransform<string, string> {
  transform(path: string): string {
    const interest = pathBefore('/devices', path);
    if (!isInterest(interest)) throw deviceRefusals.invalidInterest();
    return interest;
  }
}

interface PageQuery {
  readonly limit?: unknown;
  readonly cursor?: unknown;
}

/** Interests in a query, each a parameter of its own, because their names may contain commas. */
@Injectable()
export class InterestsPipe implements PipeTransform<unknown, readonly string[]> {
  transform(given: unknown): readonly string[] {
    const names: readonly unknown[] = given === undefined ? [] : [given].flat();
    if (!names.every(isInterest)) throw deviceRefusals.invalidInterest();
    return names;
  }
}

/** An addition to Beams: the devices that a publish to a user or an interest would reach. */
@RookeryController('customer_api/v1/instances/:instanceId')
@UseGuards(AuthorizationGuard, PublishInstanceGuard, InstanceKeyGuard)
export class DevicesOfController {
  constructor(private readonly devices: DevicesService) {}

  /** `users/<id>/devices`; the id may contain slashes. */
  @Get('users/*userDevices')
  @WithKey('The devices of a user', endpoint('users/{userId}', [userInPath], () => [userIdTooLong()]))
  @UseGuards(UserInPathGuard)
  user(@CurrentInstance() { id }: Instance, @UserInPath() userId: string, @Query() page: PageQuery) {
    return this.page(id, { users: [userId] }, page);
  }

  /** `interests/<name>/devices`; with `allOf` and `noneOf`, those that a publish with them would reach. */
  @Get('interests/*interestDevices')
  @WithKey('The devices of an interest', endpoint('interests/{interest}', ofInterest, badInterests))
  interest(
    @CurrentInstance() { id }: Instance,
    @PathTail(DevicesOfInterestPipe) interest: string,
    @Query('allOf', InterestsPipe) allOf: readonly string[],
    @Query('noneOf', InterestsPipe) noneOf: readonly string[],
    @Query() page: PageQuery,
  ) {
    if (allOf.length + noneOf.length >= maxInterests) throw tooManyInterests();
    return this.page(id, { interests: [interest], allOf, noneOf }, page);
  }

  private async page(instanceId: string, target: PublishTarget, { limit, cursor }: PageQuery) {
    const after = parseCursor(cursor, (id) => platformOf(id) !== undefined);
    const { devices, hasMore } = await this.devices.inAudience(instanceId, target, after, parseLimit(limit));
    const last = devices.at(-1);
    return {
      devices: devices.map(shown),
      responseMetadata: hasMore && last ? { nextCursor: cursorAfter(last.id) } : {},
    };
  }
}

/** Omits the token, with which anyone could send to the device. */
const shown = ({ id, platform, userId = '', bundleIdentifier, registeredAt }: DeviceAddress) => ({
  id,
  platform,
  userId,
  bundleIdentifier,
  registeredAt: new Date(registeredAt).toISOString(),
});
