import type { Command } from 'commander';
import { apps } from './apps.js';
import { backup } from './backup.js';
import { bench } from './bench.js';
import { channels } from './channels.js';
import { completion } from './completion.js';
import { config } from './config.js';
import { conformance } from './conformance.js';
import { devices } from './devices.js';
import { doctor } from './doctor.js';
import { importDevices } from './import.js';
import { init } from './init.js';
import { instances } from './instances.js';
import { keys } from './keys.js';
import { logs } from './logs.js';
import { migrate } from './migrate.js';
import { migrateFrom } from './migrate-from.js';
import { notify } from './notify.js';
import { open } from './open.js';
import { publish } from './publish.js';
import { publishes } from './publishes.js';
import { restore } from './restore.js';
import { serve } from './serve.js';
import { subscribe } from './subscribe.js';
import { trigger } from './trigger.js';
import { users } from './users.js';
import { webhooks } from './webhooks.js';
import { why } from './why.js';

/** All commands, in the order in which they are shown. */
export function commands(): readonly Command[] {
  const working = [
    serve(),
    init(),
    trigger(),
    subscribe(),
    channels(),
    users(),
    open(),
    logs(),
    why(),
    webhooks(),
    notify(),
    publish(),
    publishes(),
    devices(),
    importDevices(),
    apps(),
    instances(),
    migrate(),
    backup(),
    restore(),
    migrateFrom(),
    keys(),
    config(),
    doctor(),
    bench(),
    conformance(),
  ];
  return [...working, completion(working)];
}
