/** An app, and where the server is reached. */
export interface Address {
  readonly id: string;
  readonly key: string;
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
}

/** A push instance, and where the server is reached. */
type InstanceAddress = Omit<Address, 'key'>;

/** The server's URL, without the port that its scheme implies. */
const urlOf = ({ host, port, tls }: InstanceAddress): string =>
  `${tls ? 'https' : 'http'}://${host}${port === (tls ? 443 : 80) ? '' : `:${port}`}`;

/** How each SDK of Channels connects; servers replace SECRET. */
export const appSnippets = {
  'pusher-js': ({ key, host, port, tls }: Address) => `const pusher = new Pusher('${key}', {
  cluster: '',
  wsHost: '${host}',
  ${tls ? 'wssPort' : 'wsPort'}: ${port},
  forceTLS: ${tls},
  enabledTransports: ['ws', 'wss'],
});`,
  Laravel: ({ id, key, host, port, tls }: Address) => `BROADCAST_CONNECTION=pusher
PUSHER_APP_ID=${id}
PUSHER_APP_KEY=${key}
PUSHER_APP_SECRET=SECRET
PUSHER_HOST=${host}
PUSHER_PORT=${port}
PUSHER_SCHEME=${tls ? 'https' : 'http'}`,
  'Node.js': ({ id, key, host, port, tls }: Address) => `const pusher = new Pusher({
  appId: '${id}',
  key: '${key}',
  secret: 'SECRET',
  host: '${host}',
  port: '${port}',
  useTLS: ${tls},
});`,
  PHP: ({ id, key, host, port, tls }: Address) => `$pusher = new Pusher\\Pusher('${key}', 'SECRET', '${id}', [
    'host' => '${host}',
    'port' => ${port},
    'scheme' => '${tls ? 'https' : 'http'}',
    'useTLS' => ${tls},
]);`,
  Python: ({ id, key, host, port, tls }: Address) => `pusher_client = pusher.Pusher(
    app_id='${id}', key='${key}', secret='SECRET',
    host='${host}', port=${port}, ssl=${tls ? 'True' : 'False'})`,
  Ruby: ({ id, key, host, port, tls }: Address) => `pusher = Pusher::Client.new(
  app_id: '${id}', key: '${key}', secret: 'SECRET',
  host: '${host}', port: ${port}, scheme: '${tls ? 'https' : 'http'}')`,
  Go: ({ id, key, host, port, tls }: Address) => `client := pusher.Client{
	AppID:  "${id}",
	Key:    "${key}",
	Secret: "SECRET",
	Host:   "${host}:${port}",
	Secure: ${tls},
}`,
  '.NET': (of: Address) => `var pusher = new Pusher("${of.id}", "${of.key}", "SECRET", new PusherOptions
{
    HostName = "${of.host}",
    Port = ${of.port},
    Encrypted = ${of.tls},
});`,
};

/** How each SDK of Beams connects; servers replace SECRET. */
export const instanceSnippets = {
  Browser: (of: InstanceAddress) => `// In /service-worker.js, after the SDK's own worker:
// PusherPushNotifications.endpointOverride = '${urlOf(of)}';
const beams = new PusherPushNotifications.Client({
  instanceId: '${of.id}',
  endpointOverride: '${urlOf(of)}',
});`,
  'Node.js': (of: InstanceAddress) => `import { beamsClient } from '@rookery/client/server';

const beams = beamsClient({
  url: '${urlOf(of)}',
  instanceId: '${of.id}',
  secretKey: 'SECRET',
});`,
  Android: (of: InstanceAddress) => `<!-- AndroidManifest.xml, in <application> -->
<meta-data
  android:name="com.pusher.pushnotifications:override-host-url"
  android:value="${urlOf(of)}/device_api/v1/" />
<!-- then PushNotifications.start(context, "${of.id}") -->`,
  PHP: (of: InstanceAddress) => `$beams = new Pusher\\PushNotifications\\PushNotifications([
    'instanceId' => '${of.id}',
    'secretKey' => 'SECRET',
    'endpoint' => '${urlOf(of)}',
]);`,
  Python: (of: InstanceAddress) => `${of.tls ? '' : '# This SDK always uses TLS.\n'}beams = PushNotifications(
    instance_id='${of.id}', secret_key='SECRET',
    endpoint='${of.host}:${of.port}')`,
  Ruby: (of: InstanceAddress) => `Pusher::PushNotifications.configure do |config|
  config.instance_id = '${of.id}'
  config.secret_key = 'SECRET'
  config.endpoint = '${urlOf(of)}'
end`,
  Go: (of: InstanceAddress) => `beams, err := pushnotifications.New("${of.id}", "SECRET",
	pushnotifications.WithCustomBaseURL("${urlOf(of)}"))`,
  curl: (of: InstanceAddress) => `curl ${urlOf(of)}/publish_api/v1/instances/${of.id}/publishes \\
  -H 'Authorization: Bearer SECRET' -H 'Content-Type: application/json' \\
  -d '{"interests":["hello"],"web":{"notification":{"title":"Hello"}}}'`,
};
