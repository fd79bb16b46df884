import type { DeviceOutcome, Publish, PublishPlace, PublishStatus } from 'rookery/publish';
import { platformOf, platforms } from 'rookery/push-device';
import type { PlatformProgress, Publish as ShownPublish } from '../contract.js';
import { badRequest } from '../console.errors.js';

const states = {
  scheduled: 'waiting',
  pending: 'waiting',
  sending: 'sending',
  finished: 'done',
  cancelled: 'cancelled',
} as const satisfies Record<PublishStatus['state'], string>;

/** A publish and its progress. */
export function shownPublish(
  { id, createdAt, audience }: Publish,
  { state, platforms: statuses }: PublishStatus,
): ShownPublish {
  const parts = platforms.flatMap((platform): PlatformProgress[] => {
    const part = statuses[platform];
    if (!part) return [];
    const { sent, delivered, retrying, fault } = part;
    const failed = Object.values(part.failed).reduce((sum, count) => sum + count, 0);
    return [{ platform, state: fault ?? states[state], sent, delivered, failed, later: retrying }];
  });
  const { interests = null, users = null } = audience;
  return { id, at: createdAt, interests, users, state: states[state], platforms: parts };
}

/** The outcome for a device; its time is not stored. */
export const shownOutcome = ({ deviceId, outcome, reason }: DeviceOutcome) => ({
  deviceId,
  platform: platformOf(deviceId) ?? null,
  outcome,
  reason: reason ?? null,
  at: null,
});

export const cursorOf = ({ createdAt, id }: PublishPlace): string => `${createdAt}_${id}`;

/** @throws ConsoleError 400 */
export function placeIn(cursor: unknown): PublishPlace | undefined {
  if (cursor === undefined || cursor === '') return undefined;
  const [, createdAt, id] = /^(\d{1,15})_(pubid-[\da-f-]{36})$/.exec(typeof cursor === 'string' ? cursor : '') ?? [];
  if (createdAt === undefined || id === undefined) throw badRequest('cursor must be the next of an earlier answer.');
  return { createdAt: Number(createdAt), id };
}
