import { useAnswer } from '../api/answer.js';
import { pathOf } from '../api/ask.js';
import type { Refusals, RefusedConnection } from '../api/contract.js';
import { Timeline } from '../parts/timeline.js';
import { Badge } from '../parts/words.js';

/** Clients that could not connect: their user and socket are unknown, so that nothing else shows them. */
export function RefusedConnections({ app }: { readonly app: string }) {
  const { value } = useAnswer<Refusals>(`${pathOf('apps', app)}/refusals`, 5000);
  if (!value) return null;
  return (
    <section class="card stack" aria-label="Refused connections">
      <h2>Refused connections</h2>
      {value.refusals.length === 0 && <p class="soft">None in the last minutes.</p>}
      <Timeline value={value.refusals.map((each) => ({ at: each.at, text: <Refused value={each} /> }))} />
    </section>
  );
}

const Refused = ({ value: { code, remoteAddress, origin, key, message, isOfApp } }: { value: RefusedConnection }) => (
  <>
    {code !== null && <Badge tone="bad">{code}</Badge>} from <span class="mono">{remoteAddress}</span>
    {origin && ` (${origin})`}: {code === 4001 ? 'no app has the key ' : message}
    {code !== 4001 && !isOfApp && ', with the key '}
    {(code === 4001 || !isOfApp) && <code>{key}</code>}
  </>
);
