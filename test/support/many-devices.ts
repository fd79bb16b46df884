import type { Platform } from 'rookery/push-device';
import { type Database, run } from 'rookery/internal/typeorm';

export interface ManyDevices {
  readonly instanceId: string;
  readonly interest: string;
  readonly count: number;
  readonly platform?: Platform;
}

const batch = 1000;

/** Puts devices with one interest into a database; their tokens are `<interest> 0`, `<interest> 1` and so on. */
export async function addDevices(database: Database, devices: ManyDevices): Promise<void> {
  for (let start = 0; start < devices.count; start += batch)
    await database.write(() => adding(devices, start, Math.min(devices.count, start + batch)));
}

function* adding({ instanceId, interest, platform = 'fcm' }: ManyDevices, start: number, end: number) {
  for (let index = start; index < end; index += 1) {
    const id = `${platform}-${crypto.randomUUID()}`;
    yield* run(
      `INSERT INTO rookery_devices (id, instance_id, platform, token, token_hash, metadata, registered_at)
       VALUES (?, ?, ?, ?, ?, '{}', 1)`,
      [id, instanceId, platform, `${interest} ${index}`, `${platform} ${interest} ${index}`],
    );
    yield* run('INSERT INTO rookery_device_interests (instance_id, interest, device_id) VALUES (?, ?, ?)', [
      instanceId,
      interest,
      id,
    ]);
  }
}
