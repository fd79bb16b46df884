import { ChannelsSettings, ConfiguredAppRepository } from 'rookery/channels';
import { settingsOf } from 'rookery/internal/common';
import { ConfiguredInstanceRepository, PushDeviceSettings } from 'rookery/push-device';
import { readCertificate } from '../certificate.js';
import type { ServerConfig } from './config.js';

/**
 * Lets the modules check the configuration; they also refuse two apps with the same id.
 * @returns how many apps and push instances they would serve
 * @throws Error as at the start of the server
 */
export function served({ apps, channels, instances, devices }: ServerConfig): { apps: number; instances: number } {
  const [ofChannels, ofPush] = [{ module: 'ChannelsModule' }, { module: 'PushDeviceModule' }];
  return {
    apps: new ConfiguredAppRepository(settingsOf(ChannelsSettings, { ...channels, apps }, ofChannels)).count,
    instances: new ConfiguredInstanceRepository(settingsOf(PushDeviceSettings, { ...devices, instances }, ofPush))
      .count,
  };
}

/** Reads the files that the server needs at its start. @throws Error as at the start of the server */
export function checkFiles({ tls }: ServerConfig): void {
  if (tls) readCertificate(tls);
}
