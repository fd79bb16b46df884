import type { BeamsOptions, InterestsPublishRequest } from '@rookery/client/server';
import { askInstance } from './instance-api.js';

/** A device, as the customer API lists it. */
export interface ListedDevice {
  readonly id: string;
  readonly platform: string;
  readonly userId: string;
  readonly registeredAt: string;
}

interface InterestPage {
  readonly interests: readonly string[];
  readonly responseMetadata: { readonly nextCursor?: string };
}

interface DevicePage {
  readonly devices: readonly ListedDevice[];
  readonly responseMetadata: { readonly nextCursor?: string };
}

/** What a publish is sent to. */
export type Targets = 'interests' | 'users';

/** How a publish to interests narrows them. */
export type Combination = Pick<InterestsPublishRequest, 'allOf' | 'noneOf'>;

/** The devices of an interest or a user, page by page. @throws Fault */
export async function* devicePages(
  instance: BeamsOptions,
  targets: Targets,
  name: string,
  { allOf = [], noneOf = [] }: Combination = {},
): AsyncIterable<readonly ListedDevice[]> {
  const path = `customer_api/v1/instances/${instance.instanceId}/${targets}/${encodeURIComponent(name)}/devices`;
  const query = new URLSearchParams();
  for (const each of allOf) query.append('allOf', each);
  for (const each of noneOf) query.append('noneOf', each);
  let cursor: string | undefined;
  do {
    if (cursor !== undefined) query.set('cursor', cursor);
    const page: DevicePage = await askInstance(instance, query.size === 0 ? path : `${path}?${query.toString()}`);
    yield page.devices;
    cursor = page.responseMetadata.nextCursor;
  } while (cursor !== undefined);
}

/** All interests of a device, in their order. @throws Fault */
export async function interestsOf(instance: BeamsOptions, { platform, id }: ListedDevice): Promise<readonly string[]> {
  const path = `device_api/v1/instances/${instance.instanceId}/devices/${platform}/${encodeURIComponent(id)}/interests`;
  const all: string[] = [];
  let query = '';
  do {
    const page: InterestPage = await askInstance(instance, `${path}${query}`);
    all.push(...page.interests);
    const { nextCursor } = page.responseMetadata;
    query = nextCursor === undefined ? '' : `?cursor=${encodeURIComponent(nextCursor)}`;
  } while (query !== '');
  return all;
}
