import { useEffect, useState } from 'preact/hooks';
import { useAnswer } from '../api/answer.js';
import { ask, pathOf } from '../api/ask.js';
import { serverNow } from '../api/server-clock.js';
import { usePages } from '../api/pages.js';
import type { Outcome, Outcomes, PlatformProgress, Publish, PublishDetail as Detail } from '../api/contract.js';
import { amount, counted } from '../parts/amounts.js';
import { Button } from '../parts/button.js';
import { ConfirmButton } from '../parts/dialog.js';
import { Choice } from '../parts/fields.js';
import { clock, duration, moment } from '../parts/time.js';
import { tried } from '../parts/toasts.js';
import { Badge, Details, Facts, Failure, Note, Payload, Section } from '../parts/words.js';
import { platformNames } from './platforms.js';
import { stateWord } from './publish-words.js';

/** What became of a publish, in a word, and its tone. */
export function StateBadge({ value }: { readonly value: Publish }) {
  const [word, tone] = stateWord(value);
  return <Badge tone={tone}>{word}</Badge>;
}

/** One publish: the progress on each platform, and the outcome for each device. */
export function PublishDetail(props: {
  readonly instance: string;
  readonly id: string;
  onClose(): void;
  onChanged(): void;
}) {
  const path = `${pathOf('instances', props.instance)}/${pathOf('publishes', props.id)}`;
  const { value, failure, reload } = useAnswer<Detail>(path, 1000);
  const cancel = async (): Promise<void> => {
    await tried(() => ask('POST', `${path}/cancel`, {}), 'Cancelled.');
    reload();
    props.onChanged();
  };
  return (
    <Details
      label="Publish"
      badge={value && <StateBadge value={value} />}
      title={props.id}
      look="mono small"
      onClose={props.onClose}
    >
      <Failure value={failure} />
      {value && (
        <>
          {(value.state === 'waiting' || value.state === 'sending') && (
            <div class="row">
              <ConfirmButton title="Cancel this publish?" action="Cancel the publish" onConfirm={() => void cancel()}>
                Nothing more is sent. Devices that have it keep it. This cannot be undone.
              </ConfirmButton>
            </div>
          )}
          <Facts
            value={{
              Title: value.title,
              Created: moment(value.at),
              'Sent at': value.publishAt !== null && moment(value.publishAt),
              Interests: value.interests?.join(', '),
              'All of': value.allOf.join(', '),
              'None of': value.noneOf.join(', '),
              Users: value.users?.join(', '),
            }}
          />
          {value.result === 'no-devices' && (
            <Note tone="warn">
              No device was found. Devices get a publish if their interest or user matches exactly when it is sent.
            </Note>
          )}
          <Section title="Platforms">
            <div class="stack tight">
              {value.platforms.map((each) => (
                <PlatformRow key={each.platform} value={each} />
              ))}
            </div>
          </Section>
          <OutcomeList path={path} progress={JSON.stringify(value.platforms)} />
          <Payload title="Body" label="Body of the publish" value={value.body} />
        </>
      )}
    </Details>
  );
}

/** Sent: accepted by the gateway. Delivered: reported by devices since. */
function PlatformRow({ value }: { readonly value: PlatformProgress }) {
  const { platform, fault, sent, delivered, failed, later, retryAt, explanations } = value;
  const all = Math.max(1, sent + failed + later);
  const words = [
    `${amount(sent)} sent`,
    delivered > 0 && `${amount(delivered)} delivered`,
    `${amount(failed)} failed`,
    later > 0 && `${amount(later)} retrying${retryAt === null ? '' : nextTry(retryAt)}`,
  ].filter(Boolean);
  return (
    <div class="facts platform">
      <span>{platformNames[platform] ?? platform}</span>
      <progress value={sent} max={all} aria-label={`${sent} of ${all} sent`} />
      <span />
      <span class="number soft">{words.join(', ')}</span>
      {fault !== null && <Note tone="bad">{fault}</Note>}
      {explanations.map(({ reason, devices, meaning, action }) => (
        <Note key={reason} tone="warn">
          <b>{reason}</b>, {counted(devices, 'device')}: {meaning} {action}
        </Note>
      ))}
    </div>
  );
}

/** ` (next attempt in 40 s, at 14:03:07)` */
function nextTry(at: number): string {
  const ms = at - serverNow();
  return ms > 1000 ? ` (next attempt in ${duration(ms)}, at ${clock(at).slice(0, 8)})` : ' (next attempt now)';
}

const outcomeNames = { '': 'All', failed: 'Failed', retrying: 'Retrying', sent: 'Sent' };

/** Fetched again whenever the publish progresses. */
function OutcomeList({ path, progress }: { readonly path: string; readonly progress: string }) {
  const [outcome, setOutcome] = useState<keyof typeof outcomeNames>('');
  const list = usePages<Outcome, Outcomes>(`${path}/outcomes`, { outcome }, (page) => page.outcomes);
  useEffect(list.reload, [progress]);
  return (
    <Section title="Outcome per device">
      <Choice label="Outcomes to show" options={outcomeNames} value={outcome} onChange={setOutcome} />
      <Failure value={list.failure} />
      {list.rows.length === 0 && (
        <p class="faint">{outcome === '' ? 'No outcomes are stored.' : 'No device has this outcome.'}</p>
      )}
      <ul class="sent">
        {list.rows.map((each) => (
          <li key={each.deviceId}>
            <Badge>{platformNames[each.platform] ?? each.platform}</Badge>
            <div class="break">
              <span class="mono small">{each.deviceId}</span>
              {each.reason && <div class="soft">{each.reason}</div>}
            </div>
            <Badge tone={outcomeTones[each.outcome] ?? 'bad'}>{each.outcome}</Badge>
          </li>
        ))}
      </ul>
      {list.first?.next && (
        <Button disabled={list.loading} onClick={list.more}>
          More
        </Button>
      )}
    </Section>
  );
}

const outcomeTones: Readonly<Record<string, string>> = { sent: 'good', retrying: 'warn' };
