import { BellRing } from 'lucide-preact';
import { pathOf } from '../api/ask.js';
import type { Notification, Notifications } from '../api/contract.js';
import { useListPage } from '../api/list-page.js';
import { type Column, List, Refresh } from '../parts/list.js';
import { Ago, Empty, PageHead } from '../parts/words.js';
import type { PageProps } from '../settings/kinds.js';
import { UserLink } from '../users/user-link.js';
import { NotificationDetail, ReachedBadge } from './notification-detail.js';

const columns: readonly Column<Notification>[] = [
  { head: 'User', cell: ({ userId }) => <UserLink id={userId} /> },
  { head: 'Title', place: 'wide', cell: ({ title, name }) => title ?? name },
  { head: 'Reached', cell: (each) => <ReachedBadge value={each} /> },
  {
    head: 'Read',
    place: 'wide',
    cell: ({ readAt }) => (readAt === null ? <span class="faint">not read</span> : <Ago at={readAt} />),
  },
  { head: 'Sent', place: 'end', cell: ({ at }) => <Ago at={at} /> },
];

/** The notifications of an app: how each reached its user, and whether the user has read it. */
export function NotificationsPage({ id: app, chosen }: PageProps) {
  const path = `${pathOf('apps', app)}/notifications`;
  const page = useListPage(path, chosen, ['user'], ({ notifications }: Notifications) => notifications);
  const { query, list, open } = page;
  const shown = list.rows.find(({ id }) => id === chosen);
  const isUnset = list.first?.isOn === false;
  return (
    <>
      <PageHead title="Notifications" actions={!isUnset && <Refresh value={list} />}>
        Each reaches its user once: on an open page, otherwise by push.
      </PageHead>
      {isUnset ? (
        <NotSet app={app} />
      ) : (
        <List
          label="Notifications, newest first"
          page={page}
          search="User id"
          searchBy="user"
          nameOf={({ id }) => id}
          columns={columns}
          tracks="minmax(0, 1fr) minmax(0, 1.4fr) 9rem 6rem 6rem"
          narrow="minmax(0, 1fr) 8rem 4.5rem"
          empty={<None user={query.user} />}
        >
          {shown && <NotificationDetail value={shown} instance={list.first?.instance} onClose={() => open()} />}
        </List>
      )}
    </>
  );
}

const None = ({ user }: { readonly user: string }) =>
  user ? (
    <Empty icon={BellRing} title="This user has no notifications">
      The id must match exactly, including case. Notifications that are no longer kept are not found either.
    </Empty>
  ) : (
    <Empty icon={BellRing} title="No notifications yet">
      Your server sends them with <code>POST /apps/&lt;id&gt;/notifications</code>.
    </Empty>
  );

const lines = (app: string) => `{
  "notifications": [{ "app": ${JSON.stringify(app)} }]
}`;

const NotSet = ({ app }: { readonly app: string }) => (
  <Empty icon={BellRing} title="This app has no notifications" code={lines(app)}>
    A notification reaches its user once, on an open page or by push. Turn notifications on in the configuration file:
  </Empty>
);
