import { useState } from 'preact/hooks';
import { Snippet } from '../parts/copy.js';
import { Choice } from '../parts/fields.js';
import { Facts, Note } from '../parts/words.js';
import type { Kind } from './kinds.js';
import { type Address, appSnippets, instanceSnippets } from './snippets.js';

const lost = 'The console shows it once, when it creates it. If you lost it, create a new one under Settings.';

const words = {
  apps: ['App id', 'Secret', 'The key is public. The secret belongs only on your servers'],
  instances: ['Instance id', 'Secret key', 'The instance id is public. The secret key belongs only on your servers'],
} as const;

/** The credentials of an app or a push instance, and a snippet for each SDK. */
export function Connect({ kind, id, appKey }: { readonly kind: Kind; readonly id: string; readonly appKey: string }) {
  const all: Readonly<Record<string, (address: Address) => string>> = kind === 'apps' ? appSnippets : instanceSnippets;
  const [sdk, setSdk] = useState(Object.keys(all)[0]!);
  const { host, port, tls } = here(location);
  const [idName, secretName, note] = words[kind];
  const code = all[sdk]!({ id, key: appKey, host, port, tls });
  return (
    <>
      <Facts
        value={{
          [idName]: <code class="break">{id}</code>,
          Key: kind === 'apps' && <code class="break">{appKey}</code>,
          [secretName]: lost,
          Host: <code>{host}</code>,
          Port: <code>{port}</code>,
          TLS: tls ? 'yes' : 'no',
        }}
      />
      <Choice label="SDK" options={namesOf(Object.keys(all))} value={sdk} onChange={setSdk} />
      <Snippet code={code} />
      <Note>
        {note}
        {code.includes('SECRET') ? ': write it in place of SECRET above.' : '.'}
      </Note>
    </>
  );
}

const namesOf = (names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, name]));

/** The server's address, as this page was reached. */
function here({ hostname, port, protocol }: Location) {
  const tls = protocol === 'https:';
  return { host: hostname, port: Number(port) || (tls ? 443 : 80), tls };
}
