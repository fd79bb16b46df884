import type { HostingOptions } from 'rookery/common';
import type { Instance } from './instances/instance.js';

/** What `PushDeviceModule.forRoot` takes besides its ports. */
export interface PushDeviceOptions extends HostingOptions {
  /** The instances to serve, unless another InstanceRepository is named. */
  readonly instances?: readonly Instance[];
  /** The largest request body of the device API, in bytes. @default 2097152 */
  readonly bodyLimit?: number;
  /**
   * Lets web push subscriptions name `http:` endpoints, for tests on one machine.
   * @default whether the environment says `ALLOW_PRIVATE_NETWORK=true`
   */
  readonly allowPrivateNetwork?: boolean;
  /**
   * Answers 401 to the registration of apns and fcm devices where the instance has credentials of other gateways only:
   * nothing could ever be sent to them. Say false where a gateway of yours needs none.
   * @default true
   */
  readonly requireCredentials?: boolean;
  /** Keep devices in memory although `NODE_ENV` is `production`: they are lost on restart. @default false */
  readonly allowMemoryInProduction?: boolean;
}

/** Injection token of the module's options. */
export const pushDeviceOptions = Symbol('PushDeviceOptions');
