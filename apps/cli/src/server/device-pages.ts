import type { BeamsOptions } from 'rookery/server';
import { askInstance } from './instance-api.js';

/** A device, as the customer API lists it. */
export interface ListedDevice {
  readonly id: string;
  readonly platform: string;
  readonly userId: string;
  readonly registeredAt: string;
}

interface Page {
  readonly devices: readonly ListedDevice[];
  readonly responseMetadata: { readonly nextCursor?: string };
}

/** What a publish is sent to. */
export type Targets = 'interests' | 'users';

/** The devices of an interest or a user, page by page. @throws Fault */
export async function* devicePages(
  instance: BeamsOptions,
  targets: Targets,
  name: string,
): AsyncIterable<readonly ListedDevice[]> {
  const path = `customer_api/v1/instances/${instance.instanceId}/${targets}/${encodeURIComponent(name)}/devices`;
  let cursor: string | undefined;
  do {
    const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`;
    const page: Page = await askInstance(instance, `${path}${query}`);
    yield page.devices;
    cursor = page.responseMetadata.nextCursor;
  } while (cursor !== undefined);
}
