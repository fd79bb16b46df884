import { useAnswer } from '../api/answer.js';
import { pathOf } from '../api/ask.js';
import type { Refusals } from '../api/contract.js';
import { clock } from '../parts/time.js';
import { Badge } from '../parts/words.js';

/** Clients that could not connect: their user and socket are unknown, so that nothing else shows them. */
export function RefusedConnections({ app }: { readonly app: string }) {
  const { value } = useAnswer<Refusals>(`${pathOf('apps', app)}/refusals`, 5000);
  if (!value) return null;
  return (
    <section class="card stack" aria-label="Refused connections">
      <h2>Refused connections</h2>
      {value.refusals.length === 0 && <p class="soft">None in the last minutes.</p>}
      <ol class="timeline">
        {value.refusals.map((each) => (
          <li key={`${each.at} ${each.node} ${each.key} ${each.remoteAddress}`}>
            <time>{clock(each.at)}</time>
            <span class="break">
              {each.code !== null && <Badge tone="bad">{each.code}</Badge>} from{' '}
              <span class="mono">{each.remoteAddress}</span>
              {each.origin && ` (${each.origin})`}:{' '}
              {each.code === 4001 ? (
                <>
                  no app has the key <code>{each.key}</code>
                </>
              ) : (
                <>
                  {each.message}
                  {!each.isOfApp && (
                    <>
                      , with the key <code>{each.key}</code>
                    </>
                  )}
                </>
              )}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
