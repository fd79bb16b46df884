import { PublishModule, type PublishOptions, type PublishPorts } from 'rookery/publish';
import { type Instance, PushDeviceModule, type PushDeviceOptions, type PushDevicePorts } from 'rookery/push-device';
import { type CallOptions, instance, otherInstance, type platformAdapters, startApp } from './push-app.js';
import { ScriptedGateway } from './scripted.gateway.js';

export interface PublishAppOptions {
  readonly instances?: readonly Instance[];
  readonly devices?: PushDeviceOptions & PushDevicePorts;
  readonly publish?: PublishOptions & PublishPorts;
  readonly platform?: keyof typeof platformAdapters;
}

/** Starts the whole push column with gateways that do what the test says. */
export async function startPublishApp({ instances, devices, publish, platform }: PublishAppOptions = {}) {
  const gateways = {
    apns: new ScriptedGateway('apns'),
    fcm: new ScriptedGateway('fcm'),
    web: new ScriptedGateway('web'),
  };
  const named = { apnsGateway: gateways.apns, fcmGateway: gateways.fcm, webGateway: gateways.web };
  const app = await startApp(
    [
      PushDeviceModule.forRoot({ instances: instances ?? [instance, otherInstance], ...devices }),
      PublishModule.forRoot({ pollMs: 20, ...named, ...publish }),
    ],
    platform,
  );
  return { ...app, gateways, ...api(app.call, (instances ?? [instance])[0] ?? instance) };
}

type Call = Awaited<ReturnType<typeof startApp>>['call'];

/** The calls of the push APIs for one instance. */
export function api(call: Call, { id, secretKey }: Instance) {
  const authorization = `Bearer ${secretKey}`;
  const path = `/publish_api/v1/instances/${id}/publishes`;
  return {
    /** Registers an Android device with its interests. Answers its id. */
    async registered(interests: readonly string[] = [], token: string = crypto.randomUUID()): Promise<string> {
      const { json } = await call('POST', `/device_api/v1/instances/${id}/devices/fcm`, { body: { token } });
      const devicePath = `/device_api/v1/instances/${id}/devices/fcm/${json.id}`;
      if (interests.length > 0) await call('PUT', `${devicePath}/interests`, { body: { interests } });
      return json.id as string;
    },
    publish: (body: unknown, headers: CallOptions['headers'] = {}, kind = '/interests') =>
      call('POST', path + kind, { headers: { authorization, ...headers }, body }),
    status: async (publishId: string) =>
      (await call('GET', `${path}/${publishId}`, { headers: { authorization } })).json,
    report: (body: unknown) => call('POST', `/reporting_api/v2/instances/${id}/events`, { body }),
    deleteUser: (user: string, headers: CallOptions['headers'] = {}, base = 'customer_api') =>
      call('DELETE', `/${base}/v1/instances/${id}/users/${user}`, { headers: { authorization, ...headers } }),
  };
}
