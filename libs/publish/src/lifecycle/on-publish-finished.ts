import { applyDecorators } from '@nestjs/common';
import { calledBy } from '#common';
import { listensTo } from '#webhooks';
import type { Platform } from 'rookery/push-device';
import { deviceRemoved, deviceRemovedPayload, publishModule } from './on-device-removed.js';

export const publishFinished = 'publish_finished';

/** A finished publish: sent, failed or cancelled. */
export interface PublishFinished {
  readonly instanceId: string;
  readonly publishId: string;
  /** Devices, by platform; `fault` is the reason if nothing could be sent on it. */
  readonly platforms: Partial<
    Record<Platform, { readonly sent: number; readonly failed: number; readonly fault?: string }>
  >;
  /** When it finished. */
  readonly at: Date;
}

interface Payload {
  readonly instance_id: string;
  readonly publish_id: string;
  readonly platforms: PublishFinished['platforms'];
  readonly time_ms: number;
}

/**
 * Calls a provider's method for every finished publish: once across all processes, and again if the method throws, like
 * a retried webhook. Its argument is a {@link PublishFinished}.
 *
 * @param instances ids; a `*` matches any characters
 */
export const OnPublishFinished = (instances = '*'): MethodDecorator =>
  applyDecorators(listensTo(publishFinished, instances), calledBy('OnPublishFinished', publishModule));

/** The listeners' payloads, by event name. */
export const publishLifecyclePayloads = {
  [deviceRemoved]: deviceRemovedPayload,
  [publishFinished]: (json: string): PublishFinished => {
    const { instance_id: instanceId, publish_id: publishId, platforms, time_ms: time } = JSON.parse(json) as Payload;
    return { instanceId, publishId, platforms, at: new Date(time) };
  },
};
