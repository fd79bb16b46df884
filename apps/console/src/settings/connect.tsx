import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Snippet } from '../parts/copy.js';
import { Choice } from '../parts/fields.js';
import { Facts, Note } from '../parts/words.js';
import { appSnippets, instanceSnippets } from './snippets.js';

/** The credentials and snippets to connect to an app. */
export function ConnectApp({ id, appKey }: { readonly id: string; readonly appKey: string }) {
  const address = { id, key: appKey, ...here(location) };
  return (
    <Connect
      facts={{
        'App id': <code class="break">{id}</code>,
        Key: <code class="break">{appKey}</code>,
        Secret: lost,
      }}
      snippets={appSnippets}
      address={address}
    >
      The key is public. The secret belongs only on your servers, in SECRET above.
    </Connect>
  );
}

/** The credentials and snippets to connect to a push instance. */
export const ConnectInstance = ({ id }: { readonly id: string }) => (
  <Connect
    facts={{ 'Instance id': <code class="break">{id}</code>, 'Secret key': lost }}
    snippets={instanceSnippets}
    address={{ id, ...here(location) }}
  >
    The instance id is public. The secret key belongs only on your servers, in SECRET above.
  </Connect>
);

const lost = 'The console shows it once, when it creates it. If you lost it, create a new one under Settings.';

/** The credentials, and a snippet for each SDK. */
function Connect<Address extends ReturnType<typeof here>, Sdk extends string>(props: {
  readonly facts: Readonly<Record<string, ComponentChildren>>;
  readonly snippets: Readonly<Record<Sdk, (address: Address) => string>>;
  readonly address: Address;
  readonly children: ComponentChildren;
}) {
  const { snippets, address } = props;
  const sdks = Object.keys(snippets) as Sdk[];
  const [sdk, setSdk] = useState(sdks[0]!);
  return (
    <>
      <Facts
        value={{
          ...props.facts,
          Host: <code>{address.host}</code>,
          Port: <code>{address.port}</code>,
          TLS: address.tls ? 'yes' : 'no',
        }}
      />
      <Choice label="SDK" options={namesOf(sdks)} value={sdk} onChange={setSdk} />
      <Snippet code={snippets[sdk](address)} />
      <Note>{props.children}</Note>
    </>
  );
}

const namesOf = <Name extends string>(names: readonly Name[]): Readonly<Record<Name, string>> =>
  Object.fromEntries(names.map((name) => [name, name])) as Record<string, string> as Record<Name, string>;

/** The server's address, as this page was reached. */
function here({ hostname, port, protocol }: Location) {
  const tls = protocol === 'https:';
  return { host: hostname, port: Number(port) || (tls ? 443 : 80), tls };
}
