import { Link } from 'wouter-preact';
import { pathOf } from '../api/ask.js';
import type { Notification } from '../api/contract.js';
import { JsonView } from '../parts/json-view.js';
import { moment } from '../parts/time.js';
import { Badge, Details, Facts, Note, Section } from '../parts/words.js';
import { instancePath } from '../shell/whereabouts.js';
import { UserLink } from '../users/user-link.js';
import { reached } from './reached.js';

/** One notification: its steps with their times, and its event. */
export function NotificationDetail({
  value: notification,
  instance,
  onClose,
}: {
  readonly value: Notification;
  /** The push instance of its publish. */
  readonly instance: string | null;
  onClose(): void;
}) {
  const { word, tone } = reached(notification);
  const timeOf = (at: number | null) => (at === null ? null : moment(at));
  return (
    <Details
      label="Notification"
      head={
        <div class="stack">
          <span>
            <Badge tone={tone}>{word}</Badge>
          </span>
          <h2 class="break">{notification.title ?? notification.name}</h2>
        </div>
      }
      onClose={onClose}
    >
      <Facts
        value={{
          User: <UserLink id={notification.userId} />,
          Event: notification.name,
          Sent: moment(notification.at),
          'Shown on a page': timeOf(notification.shownAt),
          'Push due':
            notification.pushedAt === null && notification.shownAt === null ? timeOf(notification.pushAt) : null,
          Pushed: timeOf(notification.pushedAt),
          'Push left out': timeOf(notification.skippedAt),
          Read: notification.readAt === null ? 'not yet' : moment(notification.readAt),
          Withdrawn: notification.readAt === null ? timeOf(notification.withdrawnAt) : null,
          Publish: instance && notification.publishId && (
            <Link class="mono small break" href={instancePath(instance, pathOf('publishes', notification.publishId))}>
              {notification.publishId}
            </Link>
          ),
          Id: <span class="mono small break">{notification.id}</span>,
        }}
      />
      <Section title="Data of the event">
        {notification.data === null ? (
          <Note>Payloads are hidden on this server.</Note>
        ) : (
          <JsonView value={notification.data} label="Data of the event" />
        )}
      </Section>
    </Details>
  );
}
