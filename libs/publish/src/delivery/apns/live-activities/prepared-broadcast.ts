import type { DeviceAddress } from 'rookery/push-device';
import type { Outcome, PreparedNotification } from '../../push.gateway.js';
import { type ApnsAccount, askAuthorized } from '../apns-account.js';
import { apnsOutcome, isUnknownChannel } from '../apns-outcome.js';
import type { BroadcastMessage } from './broadcast-message.js';

/** Sends one update to channels: the token of each address is the id of a channel. */
export class PreparedBroadcast implements PreparedNotification {
  readonly ttlMs: number;

  constructor(
    private readonly message: BroadcastMessage,
    private readonly account: ApnsAccount,
    private readonly now: () => number,
  ) {
    this.ttlMs = message.ttlMs;
  }

  async send({ token, bundleIdentifier = '', storesLatest }: DeviceAddress & { readonly storesLatest?: boolean }) {
    const { body, priority, expiration } = this.message;
    const path = `/4/broadcasts/apps/${encodeURIComponent(bundleIdentifier)}`;
    const headers = {
      ':method': 'POST',
      'apns-channel-id': token,
      'apns-push-type': 'liveactivity',
      'apns-priority': priority,
      'apns-expiration': storesLatest ? expiration : '0',
    };
    const answer = await askAuthorized(this.account, (authorization) =>
      this.account.connections.request({ headers: { ...headers, authorization }, path, body }),
    );
    if (isUnknownChannel(answer)) return { outcome: 'unregistered' } satisfies Outcome;
    return apnsOutcome(answer, this.now(), this.account.keyId, true, bundleIdentifier);
  }
}
