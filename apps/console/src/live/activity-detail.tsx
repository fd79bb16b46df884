import { Link } from 'wouter-preact';
import { pathOf, withQuery } from '../api/ask.js';
import type { Activity } from '../api/contract.js';
import { LinkButton } from '../parts/button.js';
import { CopyButton } from '../parts/copy.js';
import { JsonView } from '../parts/json-view.js';
import { moment, clock } from '../parts/time.js';
import { Badge, Details, Facts, Note } from '../parts/words.js';
import { processName } from '../shell/whereabouts.js';
import { UserLink } from '../users/user-link.js';
import { toneOf } from './folded.js';
import { isEvent, kindNames } from './summary-words.js';

const addressOf = (app: string, { id }: Activity): string =>
  new URL(`/console/${pathOf('apps', app, 'live', id)}`, location.href).href;

/** All details of an activity. */
export function ActivityDetail(props: { readonly app: string; readonly value: Activity; onClose?(): void }) {
  const { app, value: activity } = props;
  const badge = <Badge tone={toneOf(activity)}>{kindNames[activity.kind]?.[0] ?? activity.kind}</Badge>;
  const { webhook, channel, socketId } = activity;
  return (
    <Details
      label="What happened"
      badge={activity.name && badge}
      title={activity.name ?? badge}
      onClose={props.onClose}
    >
      <div class="row">
        {isEvent(activity) && (
          <LinkButton to={withQuery(`/${pathOf('apps', app, 'why')}`, { event: activity.id })}>
            Why did it arrive, or not?
          </LinkButton>
        )}
        <CopyButton text={addressOf(app, activity)} label="Copy the link" />
      </div>
      <Facts
        value={{
          At: <time title={moment(activity.at)}>{clock(activity.at)}</time>,
          Channel: channel && <Link href={`/${pathOf('apps', app, 'channels', channel)}`}>{channel}</Link>,
          Socket: socketId && <Link href={`/${pathOf('apps', app, 'connections', socketId)}`}>{socketId}</Link>,
          User: activity.userId && <UserLink id={activity.userId} />,
          Excluded: activity.excluded,
          Reached: activity.reached,
          'Reply took': activity.ms !== undefined && `${activity.ms} ms`,
          Code: activity.code,
          Message: activity.message,
          'Key brought': activity.key && <span class="mono break">{activity.key}</span>,
          To: webhook?.url,
          Events: webhook?.events.join(', '),
          Attempt: webhook?.attempt,
          Answer: webhook?.status ?? webhook?.error,
          'Next attempt': webhook?.nextAt && clock(webhook.nextAt),
          Process: <span class="mono">{processName(activity.node)}</span>,
          Id: <span class="mono">{activity.id}</span>,
        }}
      />
      {activity.data !== undefined && (
        <section class="stack">
          <div class="row apart">
            <h3>Data</h3>
            <CopyButton text={activity.data} label="Copy the data" />
          </div>
          <JsonView value={activity.data} label="Data of the event" />
        </section>
      )}
      {isEvent(activity) && activity.data === undefined && <Note>Payloads are hidden on this server.</Note>}
    </Details>
  );
}
