import { Link } from 'wouter-preact';
import { pathOf } from '../api/ask.js';
import type { Notification } from '../api/contract.js';
import { moment } from '../parts/time.js';
import { Badge, Details, Facts, Payload } from '../parts/words.js';
import { instancePath } from '../shell/whereabouts.js';
import { UserLink } from '../users/user-link.js';
import { reached } from './reached.js';

/** How it reached its user, in a word. */
export function ReachedBadge({ value }: { readonly value: Notification }) {
  const { word, tone } = reached(value);
  return <Badge tone={tone}>{word}</Badge>;
}

/** One notification: its steps with their times, and its event. */
export function NotificationDetail(props: {
  readonly value: Notification;
  /** The push instance of its publish. */
  readonly instance: string | null | undefined;
  onClose(): void;
}) {
  const { value, instance } = props;
  const { shownAt, pushAt, pushedAt, readAt, publishId } = value;
  const timeOf = (at: number | null) => at !== null && moment(at);
  return (
    <Details
      label="Notification"
      title={value.title ?? value.name}
      badge={<ReachedBadge value={value} />}
      onClose={props.onClose}
    >
      <Facts
        value={{
          User: <UserLink id={value.userId} />,
          Event: value.name,
          Sent: moment(value.at),
          'Shown on a page': timeOf(shownAt),
          'Push due': pushedAt === null && shownAt === null && timeOf(pushAt),
          Pushed: timeOf(pushedAt),
          'Push left out': timeOf(value.skippedAt),
          Read: timeOf(readAt) || 'not yet',
          Withdrawn: readAt === null && timeOf(value.withdrawnAt),
          Publish: instance && publishId && (
            <Link class="mono small break" href={instancePath(instance, pathOf('publishes', publishId))}>
              {publishId}
            </Link>
          ),
          Id: <span class="mono small break">{value.id}</span>,
        }}
      />
      <Payload title="Data of the event" label="Data of the event" value={value.data} />
    </Details>
  );
}
