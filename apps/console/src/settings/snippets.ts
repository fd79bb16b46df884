/** Where an app is reached. */
export interface Address {
  readonly id: string;
  readonly key: string;
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
}

/** How each SDK connects; servers replace SECRET. */
export const snippets = {
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
  '.NET': ({
    id,
    key,
    host,
    port,
    tls,
  }: Address) => `var pusher = new Pusher("${id}", "${key}", "SECRET", new PusherOptions
{
    HostName = "${host}",
    Port = ${port},
    Encrypted = ${tls},
});`,
};
