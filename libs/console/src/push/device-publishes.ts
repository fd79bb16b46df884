import type { PublishService } from 'rookery/publish';
import type { DevicePublish } from '../contract/index.js';
import { titleOf } from './title.js';

/** How many of the instance's latest publishes are searched. */
export const searchedPublishes = 50;
/** A page of outcomes may be empty before the device's. */
const maxPages = 3;

/** What became of the latest publishes for a device; those that did not include it are left out. */
export async function devicePublishes(
  publishes: PublishService,
  instanceId: string,
  deviceId: string,
  hidesPayloads: boolean,
): Promise<readonly DevicePublish[]> {
  const latest = await publishes.latest(instanceId, searchedPublishes);
  const found = await Promise.all(
    latest.map(async ({ id, createdAt, payloads }) => {
      const outcome = await outcomeOf(publishes, instanceId, id, deviceId);
      if (!outcome) return [];
      const { outcome: became, reason = null } = outcome;
      return [
        { publishId: id, at: createdAt, title: hidesPayloads ? null : titleOf(payloads), outcome: became, reason },
      ];
    }),
  );
  return found.flat();
}

/** Outcomes are in the order of device ids, so those from just before this id on are asked for. */
async function outcomeOf(publishes: PublishService, instanceId: string, publishId: string, deviceId: string) {
  let after = deviceId.slice(0, -1);
  for (let page = 0; page < maxPages; page++) {
    const { devices, next } = await publishes.outcomes(instanceId, publishId, { after, limit: 16 });
    const found = devices.find((each) => each.deviceId === deviceId);
    if (found || next === undefined || next >= deviceId) return found;
    after = next;
  }
  return undefined;
}
