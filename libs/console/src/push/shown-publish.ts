import type { DeviceOutcome, Publish, PublishCursor, PublishStatus } from 'rookery/publish';
import { platformOf, platforms } from 'rookery/push-device';
import type { PlatformProgress, Publish as ShownPublish } from '../contract/index.js';
import { titleOf } from './title.js';

const states = {
  scheduled: 'waiting',
  pending: 'waiting',
  sending: 'sending',
  finished: 'done',
  cancelled: 'cancelled',
} as const satisfies Record<PublishStatus['state'], string>;

/** A publish and its progress. */
export function shownPublish(
  { id, createdAt, publishAt, target, payloads }: Publish,
  { state, platforms: statuses }: PublishStatus,
  hidePayloads: boolean,
): ShownPublish {
  const parts = platforms.flatMap((platform): PlatformProgress[] => {
    const part = statuses[platform];
    if (!part) return [];
    const { audience: found, sent, delivered, retrying, retryAt, fault = null, explanations = [] } = part;
    const failed = Object.values(part.failed).reduce((sum, count) => sum + count, 0);
    const later = { later: retrying, retryAt: retryAt === undefined ? null : Date.parse(retryAt) };
    return [{ platform, fault, audience: found, sent, delivered, failed, ...later, explanations }];
  });
  const { interests = null, users = null } = target;
  const { allOf = [], noneOf = [] } = target.interests ? target : {};
  const title = hidePayloads ? null : titleOf(payloads);
  const result = state === 'finished' ? resultOf(parts) : null;
  return {
    id,
    at: createdAt,
    publishAt: publishAt ?? null,
    interests,
    allOf,
    noneOf,
    users,
    title,
    state: states[state],
    result,
    platforms: parts,
  };
}

function resultOf(parts: readonly PlatformProgress[]): ShownPublish['result'] {
  const sum = (what: 'sent' | 'failed' | 'audience'): number => parts.reduce((all, part) => all + part[what], 0);
  const isFaulty = parts.some(({ fault }) => fault !== null);
  if (sum('sent') > 0) return isFaulty || sum('failed') > 0 ? 'partly' : 'sent';
  return isFaulty || sum('audience') > 0 ? 'failed' : 'no-devices';
}

/** The outcome for a device; its time is not stored. */
export const shownOutcome = ({ deviceId, outcome, reason }: DeviceOutcome) => ({
  deviceId,
  platform: platformOf(deviceId) ?? null,
  outcome,
  reason: reason ?? null,
  at: null,
});

export const cursorOf = ({ createdAt, id }: PublishCursor): string => `${createdAt}_${id}`;
