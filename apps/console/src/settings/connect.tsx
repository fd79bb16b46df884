import { useState } from 'preact/hooks';
import { Snippet } from '../parts/copy.js';
import { Choice } from '../parts/fields.js';
import { Facts, Note } from '../parts/words.js';
import { type Address, snippets } from './snippets.js';

/** What clients and servers need to connect to an app. */
export function Connect({ id, appKey }: { readonly id: string; readonly appKey: string }) {
  const [sdk, setSdk] = useState<keyof typeof snippets>('pusher-js');
  const address = addressOf(location, id, appKey);
  return (
    <>
      <Facts
        of={{
          'App id': <code class="break">{id}</code>,
          Key: <code class="break">{appKey}</code>,
          Secret: 'Shown once, when it is created. If it is lost, create a new one under Settings.',
          Host: <code>{address.host}</code>,
          Port: <code>{address.port}</code>,
          TLS: address.tls ? 'yes' : 'no',
        }}
      />
      <Choice label="SDK" of={names} value={sdk} onChange={setSdk} />
      <Snippet code={snippets[sdk](address)} />
      <Note>The key is public. The secret belongs only on your servers, in SECRET above.</Note>
    </>
  );
}

const names = Object.fromEntries(Object.keys(snippets).map((name) => [name, name])) as Record<
  keyof typeof snippets,
  string
>;

/** The server's address, as this page was reached. */
function addressOf({ hostname, port, protocol }: Location, id: string, key: string): Address {
  const tls = protocol === 'https:';
  return { id, key, host: hostname, port: Number(port) || (tls ? 443 : 80), tls };
}
