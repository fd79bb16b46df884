import { Logger } from '@nestjs/common';
import type { DeviceAddress } from 'rookery/push-device';
import { type Outcome, PlatformFault, type PreparedNotification } from '../push.gateway.js';

/**
 * One notification, for the devices of Apple's sandbox, in an instance that serves production, too. If the sandbox
 * refuses the key or the app, only its devices fail: those of production are still sent to.
 */
export class PreparedSandbox {
  private readonly logger = new Logger('ApnsGateway');
  private hasWarned = false;

  /** @param listensToChannel - the notification starts activities that listen to a channel of production */
  constructor(
    private readonly prepared: PreparedNotification,
    private readonly listensToChannel: boolean,
  ) {}

  async send(device: DeviceAddress): Promise<Outcome> {
    if (this.listensToChannel) return { outcome: 'rejected', reason: 'ChannelOfProduction', environment: 'sandbox' };
    try {
      return { ...(await this.prepared.send(device)), environment: 'sandbox' };
    } catch (error) {
      if (!(error instanceof PlatformFault)) throw error;
      this.warn(error);
      return { outcome: 'rejected', reason: 'RefusedBySandbox', environment: 'sandbox' };
    }
  }

  /** For a device whose token production does not know. If the sandbox does not either, it is not asked again. */
  async sendUnknown(device: DeviceAddress): Promise<Outcome> {
    const outcome = await this.send(device);
    return outcome.outcome === 'unregistered' ? { ...outcome, environment: 'production' } : outcome;
  }

  private warn({ message }: PlatformFault): void {
    if (!this.hasWarned)
      this.logger.warn(`Apple's sandbox: ${message}. Its devices get nothing until that is corrected`);
    this.hasWarned = true;
  }
}
