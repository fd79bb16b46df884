import { isIP } from 'node:net';
import { isHostAmong, isPublicAddress } from '#common';
import { parseWebToken } from 'rookery/internal/push-device';
import { knownPushServices } from '../../publish.options.js';

/** Where web pushes may go: the settings of the same names. */
export interface WebPushTargets {
  readonly webPushHosts?: readonly string[] | undefined;
  readonly allowPrivateNetwork?: boolean | undefined;
}

/**
 * Why no push could be sent to a browser's subscription, with the setting that would allow it; undefined if one could.
 * The address of a name is known only when a push is sent to it.
 *
 * @throws ApiError 400 for what is no subscription
 */
export function endpointRefusal(
  token: string,
  { webPushHosts = knownPushServices, allowPrivateNetwork = false }: WebPushTargets,
): string | undefined {
  const { hostname } = new URL(parseWebToken(token, { allowHttp: allowPrivateNetwork }).endpoint);
  const address = hostname.replace(/^\[|\]$/g, '');
  const isAddress = isIP(address) !== 0;
  if (allowPrivateNetwork && !(isAddress && isPublicAddress(address))) return undefined;
  if (!isHostAmong(webPushHosts, hostname))
    return `\`endpoint\` is at ${hostname}, which the setting \`webPushHosts\` does not allow`;
  return isAddress && !isPublicAddress(address)
    ? `\`endpoint\` is at ${hostname}, a private address, which needs the setting \`allowPrivateNetwork\``
    : undefined;
}
