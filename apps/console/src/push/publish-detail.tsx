import { useEffect } from 'preact/hooks';
import { useAnswer } from '../api/answer.js';
import { pathOf } from '../api/ask.js';
import { usePages } from '../api/pages.js';
import type { Outcome, Outcomes, PlatformProgress, PublishDetail as Detail } from '../api/contract.js';
import { amount } from '../parts/amounts.js';
import { JsonView } from '../parts/json-view.js';
import { moment } from '../parts/time.js';
import { Badge, Details, Facts, Failure, Note, Section } from '../parts/words.js';
import { platformNames } from './platforms.js';

export const stateTones = { waiting: 'warn', sending: 'accent', done: 'good', cancelled: '' } as const;

/** One publish: the progress on each platform, and the outcome for each device. */
export function PublishDetail(props: { readonly instance: string; readonly id: string; onClose(): void }) {
  const path = `${pathOf('instances', props.instance)}/${pathOf('publishes', props.id)}`;
  const { value, failure } = useAnswer<Detail>(path, 1000);
  return (
    <Details
      label="Publish"
      head={
        <div class="stack">
          {value && (
            <span>
              <Badge tone={stateTones[value.state]}>{value.state}</Badge>
            </span>
          )}
          <h2 class="mono small break">{props.id}</h2>
        </div>
      }
      onClose={props.onClose}
    >
      <Failure of={failure} />
      {value && (
        <>
          <Facts
            of={{ When: moment(value.at), Interests: value.interests?.join(', '), Users: value.users?.join(', ') }}
          />
          <Section title="Platforms">
            <div class="platforms">
              {value.platforms.map((each) => (
                <PlatformRow key={each.platform} of={each} />
              ))}
            </div>
          </Section>
          <OutcomeList path={path} progress={JSON.stringify(value.platforms)} />
          <Section title="Body">
            {value.body === null ? (
              <Note>Payloads are hidden on this server.</Note>
            ) : (
              <JsonView value={value.body} label="Body of the publish" />
            )}
          </Section>
        </>
      )}
    </Details>
  );
}

/** Sent: accepted by the gateway. Delivered: reported by devices since. */
function PlatformRow({ of: { platform, state, sent, delivered, failed, later } }: { readonly of: PlatformProgress }) {
  const all = Math.max(1, sent + failed + later);
  const words = [
    `${amount(sent)} sent`,
    delivered > 0 && `${amount(delivered)} delivered`,
    `${amount(failed)} failed`,
    later > 0 && `${amount(later)} later`,
  ].filter(Boolean);
  return (
    <div class="platform">
      <span>{platformNames[platform] ?? platform}</span>
      <span class="meter" role="img" aria-label={`${sent} of ${all} sent`}>
        <i style={{ width: `${(100 * sent) / all}%` }} />
      </span>
      <span class="faint">{state}</span>
      <span />
      <span class="number soft">{words.join(', ')}</span>
    </div>
  );
}

/** Fetched again whenever the publish progresses. */
function OutcomeList({ path, progress }: { readonly path: string; readonly progress: string }) {
  const list = usePages<Outcome, Outcomes>(`${path}/outcomes`, {}, (page) => page.outcomes);
  useEffect(list.reload, [progress]);
  return (
    <Section title="Outcome per device">
      <Failure of={list.failure} />
      {list.rows.length === 0 && <p class="faint">No outcomes are stored.</p>}
      <ul class="sent">
        {list.rows.map((each) => (
          <li key={each.deviceId}>
            <Badge>{platformNames[each.platform] ?? each.platform}</Badge>
            <span class="break">
              <span class="mono small">{each.deviceId}</span>
              {each.reason && <span class="block">{each.reason}</span>}
            </span>
            <Badge tone={each.outcome === 'sent' || each.outcome === 'delivered' ? 'good' : 'bad'}>
              {each.outcome}
            </Badge>
          </li>
        ))}
      </ul>
      {list.first?.next && (
        <button type="button" class="button" disabled={list.loading} onClick={list.more}>
          More
        </button>
      )}
    </Section>
  );
}
