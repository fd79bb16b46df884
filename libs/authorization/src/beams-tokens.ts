import type { FactoryProvider } from '@nestjs/common';
import { DefaultInstance, DeviceTokens } from 'rookery/internal/push-device';
import { AuthorizationSettings } from './authorization.options.js';

/** Issues the Beams tokens of one instance, if PushDeviceModule is imported too. */
export class BeamsTokens {
  /** @param instanceId the instance; undefined if there is none */
  private constructor(
    private readonly tokens: DeviceTokens | undefined,
    private readonly instanceId: string | undefined,
  ) {}

  static readonly provider: FactoryProvider<BeamsTokens> = {
    provide: BeamsTokens,
    inject: [
      AuthorizationSettings,
      { token: DeviceTokens, optional: true },
      { token: DefaultInstance, optional: true },
    ],
    useFactory: ({ instanceId }: AuthorizationSettings, tokens?: DeviceTokens, byDefault?: DefaultInstance) => {
      if (instanceId !== undefined && !tokens)
        throw new Error('AuthorizationModule: instanceId needs PushDeviceModule: add PushDeviceModule.forRoot()');
      return new BeamsTokens(tokens, instanceId ?? byDefault?.id);
    },
  };

  get areIssued(): boolean {
    return this.tokens !== undefined && this.instanceId !== undefined;
  }

  /** Returns `{ token }`, the format that the client SDKs read. */
  async issue(userId: string): Promise<{ readonly token: string }> {
    return this.tokens!.issue(this.instanceId!, userId); // Only called if tokens are issued.
  }
}
