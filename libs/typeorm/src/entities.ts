import { DeviceEntity } from './devices/device.entity.js';
import { DeviceInterestEntity } from './devices/device-interest.entity.js';

/** Every table of Rookery as an entity. A host may add them to its own data source, to query them; it need not. */
export const rookeryEntities = [DeviceEntity, DeviceInterestEntity] as const;
