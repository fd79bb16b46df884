import type { Notification } from '../api/contract.js';
import { JsonView } from '../parts/json-view.js';
import { moment } from '../parts/time.js';
import { Badge, Details, Facts, Note, Section } from '../parts/words.js';
import { reached } from './reached.js';

/** One notification: its steps with their times, and its event. */
export function NotificationDetail({ of, onClose }: { readonly of: Notification; onClose(): void }) {
  const { word, tone } = reached(of);
  const timeOf = (at: number | null) => (at === null ? null : moment(at));
  return (
    <Details
      label="Notification"
      head={
        <div class="stack">
          <span>
            <Badge tone={tone}>{word}</Badge>
          </span>
          <h2 class="break">{of.title ?? of.name}</h2>
        </div>
      }
      onClose={onClose}
    >
      <Facts
        of={{
          User: of.userId,
          Event: of.name,
          Sent: moment(of.at),
          'Shown on a page': timeOf(of.shownAt),
          'Push due': of.pushedAt === null && of.shownAt === null ? timeOf(of.pushAt) : null,
          Pushed: timeOf(of.pushedAt),
          'Push left out': timeOf(of.skippedAt),
          Read: of.readAt === null ? 'not yet' : moment(of.readAt),
          Withdrawn: of.readAt === null ? timeOf(of.withdrawnAt) : null,
          Publish: of.publishId && <span class="mono small break">{of.publishId}</span>,
          Id: <span class="mono small break">{of.id}</span>,
        }}
      />
      <Section title="Data of the event">
        {of.data === null ? (
          <Note>Payloads are hidden on this server.</Note>
        ) : (
          <JsonView value={of.data} label="Data of the event" />
        )}
      </Section>
    </Details>
  );
}
