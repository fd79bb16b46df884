import { randomUUID } from 'node:crypto';
import type { PublishTarget, Platform } from 'rookery/push-device';
import type { PlatformPayload } from './delivery/push.gateway.js';
import type { InterestsPublish, UsersPublish } from './publish-body.js';

/** The customer's payloads, one per target platform (api § Publish request). */
export type Payloads = Readonly<Partial<Record<Platform, PlatformPayload>>>;

/** An accepted publish: its content and its audience. Immutable. */
export interface Publish {
  /** `pubid-<uuid4>` */
  readonly id: string;
  readonly instanceId: string;
  readonly target: PublishTarget;
  readonly payloads: Payloads;
  readonly webhookUrl?: string;
  /** Epoch milliseconds, like all times here. */
  readonly createdAt: number;
  /** When it will be sent; absent: at once. */
  readonly publishAt?: number;
  /** The trace context of the publish request: `00-<trace>-<span>-<flags>` (W3C Trace Context). */
  readonly traceparent?: string;
}

/** When a publish is first due; times to live count from here. */
export const dueAtOf = ({ createdAt, publishAt = createdAt }: Publish): number => publishAt;

/** Whether a text has the form of our publish ids; others need no lookup. */
export const isPublishId = (text: string): boolean => /^pubid-[0-9a-f-]{36}$/.test(text);

/** The publish of a validated body. */
export function publishOf(
  instanceId: string,
  body: InterestsPublish | UsersPublish,
  now: number,
  publishAt?: number,
): Publish {
  const { webhookUrl, ...rest } = body;
  const { target, payloads } = 'users' in rest ? usersOf(rest) : interestsOf(rest);
  return {
    id: `pubid-${randomUUID()}`,
    instanceId,
    target,
    payloads,
    createdAt: now,
    ...(webhookUrl === undefined ? {} : { webhookUrl }),
    // A past time means now.
    ...(publishAt === undefined || publishAt <= now ? {} : { publishAt }),
  };
}

const usersOf = ({ users, ...payloads }: UsersPublish): Pick<Publish, 'target' | 'payloads'> => ({
  target: { users },
  payloads,
});

const interestsOf = ({
  interests,
  allOf,
  noneOf,
  ...payloads
}: InterestsPublish): Pick<Publish, 'target' | 'payloads'> => ({
  target: { interests, ...(allOf && { allOf }), ...(noneOf && { noneOf }) },
  payloads,
});

/** The body that created a publish: `requestBody` in the calls to `webhookUrl` (beams-wire §7.2). */
export function bodyOf({ target, payloads, webhookUrl }: Publish): Readonly<Record<string, unknown>> {
  return { ...target, ...(webhookUrl === undefined ? {} : { webhookUrl }), ...payloads };
}
