import { BellRing } from 'lucide-preact';
import { pathOf } from '../api/ask.js';
import type { Notification, Notifications } from '../api/contract.js';
import { useListPage } from '../api/list-page.js';
import { SearchField } from '../parts/fields.js';
import { type Column, List, Refresh } from '../parts/list.js';
import { ago, moment } from '../parts/time.js';
import { Badge, Empty, PageHead } from '../parts/words.js';
import { UserLink } from '../users/user-link.js';
import { NotificationDetail } from './notification-detail.js';
import { reached } from './reached.js';

const columns: readonly Column<Notification>[] = [
  { head: 'User', title: ({ userId }) => userId, cell: ({ userId }) => <UserLink id={userId} /> },
  { head: 'Title', place: 'wide', cell: ({ title, name }) => title ?? name },
  {
    head: 'Reached',
    cell: (each) => {
      const { word, tone } = reached(each);
      return <Badge tone={tone}>{word}</Badge>;
    },
  },
  {
    head: 'Read',
    place: 'wide',
    title: ({ readAt }) => (readAt === null ? '' : moment(readAt)),
    cell: ({ readAt }) => (readAt === null ? <span class="faint">not read</span> : ago(readAt)),
  },
  { head: 'Sent', place: 'end', look: 'soft', title: ({ at }) => moment(at), cell: ({ at }) => ago(at) },
];

/** The notifications of an app: how each reached its user, and whether the user has read it. */
export function NotificationsPage({ app, chosen }: { readonly app: string; readonly chosen?: string | undefined }) {
  const path = `${pathOf('apps', app)}/notifications`;
  const { query, list, open, ask } = useListPage(path, chosen, ['user'], (page: Notifications) => page.notifications);
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
        <>
          <div class="filters">
            <SearchField label="User" value={query.user} onChange={(user) => ask({ user })} />
          </div>
          <List
            label="Notifications, newest first"
            pages={list}
            nameOf={({ id }) => id}
            chosen={chosen}
            onOpen={open}
            columns={columns}
            tracks="minmax(0, 1fr) minmax(0, 1.4fr) 8rem 6rem 6rem"
            narrow="minmax(0, 1fr) 8rem 4.5rem"
            empty={<None user={query.user} />}
          >
            {shown && (
              <NotificationDetail value={shown} instance={list.first?.instance ?? null} onClose={() => open()} />
            )}
          </List>
        </>
      )}
    </>
  );
}

const None = ({ user }: { readonly user: string }) =>
  user ? (
    <Empty icon={BellRing} title="This user has no notifications">
      The id must match exactly, including case.
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
