import type { DeviceAddress, DeviceRepository } from 'rookery/push-device';
import { objectOr } from '../../delivery/json.js';
import type { Outcome, PlatformPayload, PreparedNotification } from '../../delivery/push.gateway.js';
import type { LiveActivityChannels } from './live-activity-channels.js';
import type { LiveActivityRepository } from './live-activity.repository.js';
import type { Publish } from '../../publish.js';
import type { ClaimedPublish } from '../../fan-out/claimed-publish.js';
import type { Recipients } from '../../fan-out/recipients.js';
import { resultOrRefusal } from './channel-refusal.js';

/** The devices of the audience that have a start token, which takes the place of their own. */
export function startTokensOf(
  devices: DeviceRepository,
  activities: LiveActivityRepository,
  { instanceId, target }: Publish,
): Recipients {
  const withToken = async (found: readonly DeviceAddress[]): Promise<readonly DeviceAddress[]> => {
    const tokens = await activities.startTokens(
      instanceId,
      found.map(({ id }) => id),
    );
    return found.flatMap((device) => {
      const token = tokens.get(device.id);
      return token === undefined ? [] : [{ ...device, token }];
    });
  };
  return {
    // Most devices may have none, and a page that is not full counts as the last one.
    async page(after, limit) {
      const found: DeviceAddress[] = [];
      let from: string | undefined = after;
      while (from !== undefined && found.length < limit) {
        const read: readonly DeviceAddress[] = await devices.inAudience(instanceId, target, from, limit);
        const own = read.filter(({ platform }) => platform === 'apns');
        if (own.length > 0) found.push(...(await withToken(own)));
        from = own.length === limit ? own.at(-1)?.id : undefined;
      }
      return found.slice(0, limit);
    },
    async find(id) {
      const device = await devices.find(instanceId, 'apns', id);
      return device && (await withToken([device]))[0];
    },
  };
}

type Prepared = PreparedNotification | { readonly rejected: string };

/**
 * Starts activities that listen to the channel of the publish's only interest, unless the payload says itself what they
 * listen to. A start token that is gone is removed; the device stays.
 */
export class StartedActivities implements PreparedNotification {
  readonly ttlMs: number;
  /** By bundle identifier, because an app has its own channel for an interest. */
  private readonly byApp = new Map<string, Promise<Prepared>>();

  constructor(
    private readonly prepared: PreparedNotification,
    private readonly prepareWith: (aps: PlatformPayload) => Promise<Prepared>,
    private readonly activities: LiveActivityRepository,
    private readonly channels: LiveActivityChannels,
    private readonly claimed: Pick<ClaimedPublish, 'publish' | 'instance'>,
  ) {
    this.ttlMs = prepared.ttlMs;
  }

  async send(device: DeviceAddress): Promise<Outcome> {
    const prepared = await this.preparedFor(device.bundleIdentifier);
    if ('rejected' in prepared) return { outcome: 'rejected', reason: prepared.rejected };
    const outcome = await prepared.send(device);
    if (outcome.outcome !== 'unregistered') return outcome;
    await this.activities.removeStartTokens(this.claimed.instance.id, [device.id], device.token);
    return { outcome: 'rejected', reason: 'StartTokenUnregistered' };
  }

  private preparedFor(bundleIdentifier: string | undefined): Prepared | Promise<Prepared> {
    const interest = this.interest();
    if (bundleIdentifier === undefined || interest === undefined) return this.prepared;
    let prepared = this.byApp.get(bundleIdentifier);
    if (!prepared) {
      prepared = this.listening(interest, bundleIdentifier);
      this.byApp.set(bundleIdentifier, prepared);
      // A later try asks again.
      prepared.catch(() => this.byApp.delete(bundleIdentifier));
    }
    return prepared;
  }

  /** The interest whose channel the activities listen to. */
  private interest(): string | undefined {
    const { payloads, target } = this.claimed.publish;
    const aps = objectOr(payloads.apns?.['aps']);
    if (aps['input-push-channel'] !== undefined || aps['input-push-token'] !== undefined) return undefined;
    return target.interests?.length === 1 ? target.interests[0] : undefined;
  }

  private async listening(interest: string, bundleIdentifier: string): Promise<Prepared> {
    const made = await resultOrRefusal(() =>
      this.channels.ensureFor(this.claimed.instance, interest, { bundleIdentifier }),
    );
    return 'reason' in made ? { rejected: made.reason } : this.prepareWith({ 'input-push-channel': made.channelId });
  }
}
