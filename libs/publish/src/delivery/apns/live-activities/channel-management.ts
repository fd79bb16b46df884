import type { Instance } from 'rookery/push-device';
import { type BroadcastChannels, ChannelRefused } from '../../broadcast-channels.js';
import type { PushAnswer } from '../../http2/exchange.js';
import { type ApnsAccount, askAuthorized } from '../apns-account.js';
import { apnsOutcome, isUnknownChannel, reasonOf } from '../apns-outcome.js';

/** Creates and deletes channels at Apple: `/1/apps/<bundle id>/channels` (beams-wire §11.1). */
export class ChannelManagement implements BroadcastChannels {
  constructor(
    private readonly accountOf: (instance: Instance) => ApnsAccount,
    private readonly now: () => number,
  ) {}

  async create(instance: Instance, bundleIdentifier: string, storesLatest: boolean): Promise<string> {
    const policy = { 'message-storage-policy': storesLatest ? 1 : 0, 'push-type': 'LiveActivity' };
    const body = Buffer.from(JSON.stringify(policy));
    const answer = await this.ask(instance, bundleIdentifier, { ':method': 'POST' }, body);
    if (answer.status === 201 && answer.channelId) return answer.channelId;
    throw this.refusal(instance, bundleIdentifier, answer);
  }

  async delete(instance: Instance, bundleIdentifier: string, channelId: string): Promise<void> {
    const headers = { ':method': 'DELETE', 'apns-channel-id': channelId };
    const answer = await this.ask(instance, bundleIdentifier, headers);
    if (answer.status === 204 || isUnknownChannel(answer)) return;
    throw this.refusal(instance, bundleIdentifier, answer);
  }

  private ask(
    instance: Instance,
    bundleIdentifier: string,
    headers: Readonly<Record<string, string>>,
    body?: Buffer,
  ): Promise<PushAnswer> {
    const account = this.accountOf(instance);
    const path = `/1/apps/${encodeURIComponent(bundleIdentifier)}/channels`;
    return askAuthorized(account, (authorization) =>
      account.management().request({ headers: { ...headers, authorization }, path, body }),
    );
  }

  private refusal(instance: Instance, bundleIdentifier: string, answer: PushAnswer): Error {
    // Throws what a send would throw: Apple is busy, or refuses the key.
    apnsOutcome(answer, this.now(), instance.apns?.keyId ?? '', true, bundleIdentifier);
    return new ChannelRefused(reasonOf(answer));
  }
}
