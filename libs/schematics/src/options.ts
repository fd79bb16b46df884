import { ProjectError } from './project-error.js';

/** Where durable state is kept. `none` is in memory. */
export const databases = ['none', 'sqlite', 'postgres'] as const;
export type DatabaseKind = (typeof databases)[number];

/** What to add. */
export interface Features {
  /** Realtime events: Pusher Channels. */
  readonly channels: boolean;
  /** Push notifications: Pusher Beams. */
  readonly push: boolean;
  readonly database: DatabaseKind;
  /** State that several processes share. */
  readonly redis: boolean;
}

/** The options of `nest add rookery` and `rookery init`. Features that are left out are asked for. */
export interface AddOptions extends Partial<Features> {
  /** Takes the defaults instead of asking. */
  readonly yes?: boolean;
  /** The file of the root module. @default the only `app.module.ts` */
  readonly module?: string;
  /** The folder of the application's sources, as `nest add` passes it. @default all folders */
  readonly sourceRoot?: string;
}

export const defaults: Features = { channels: true, push: false, database: 'none', redis: false };

/** @throws ProjectError if they contradict each other */
export function checked(features: Features): Features {
  const { channels, push, database, redis } = features;
  if (!databases.includes(database))
    throw new ProjectError(`--database=${database as string} is unknown: use ${databases.join(', ')}`);
  if (!channels && !push) throw new ProjectError('Nothing to add: pass --channels or --push');
  if (redis && !channels) throw new ProjectError('--redis is for channels: pass --channels too, or leave it out');
  return features;
}
