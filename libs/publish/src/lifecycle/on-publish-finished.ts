import { listensTo } from 'rookery/common';
import type { Platform } from 'rookery/push-device';
import { deviceRemoved, deviceRemovedPayload } from './on-device-removed.js';

export const publishFinished = 'publish_finished';

/** A publish that is over: sent, failed or cancelled. */
export interface PublishFinished {
  readonly instanceId: string;
  readonly publishId: string;
  /** Devices, by platform; `fault` says why nothing could be sent on one. */
  readonly platforms: Partial<
    Record<Platform, { readonly sent: number; readonly failed: number; readonly fault?: string }>
  >;
  /** When it was over. */
  readonly at: Date;
}

interface Told {
  readonly instance_id: string;
  readonly publish_id: string;
  readonly platforms: PublishFinished['platforms'];
  readonly time_ms: number;
}

/**
 * Has a provider's method hear of publishes that are over: each once for all processes, and again when the method throws,
 * as a webhook is tried again. It is given a {@link PublishFinished}.
 *
 * @param instances ids; a `*` stands for any characters
 */
export const OnPublishFinished = (instances = '*'): MethodDecorator => listensTo(publishFinished, instances);

/** What listeners are given, by the name of what happened. */
export const publishLifecyclePayloads = {
  [deviceRemoved]: deviceRemovedPayload,
  [publishFinished]: (json: string): PublishFinished => {
    const { instance_id: instanceId, publish_id: publishId, platforms, time_ms: time } = JSON.parse(json) as Told;
    return { instanceId, publishId, platforms, at: new Date(time) };
  },
};
