import { BellRing } from 'lucide-preact';
import { useLocation, useSearchParams } from 'wouter-preact';
import { pathOf, withQuery } from '../api/ask.js';
import type { Notification, Notifications } from '../api/contract.js';
import { usePages } from '../api/pages.js';
import { SearchField } from '../parts/fields.js';
import { type Column, List, Refresh } from '../parts/list.js';
import { ago, moment } from '../parts/time.js';
import { Badge, Empty, PageHead } from '../parts/words.js';
import { useKeys } from '../shell/keys.js';
import { appPath } from '../shell/whereabouts.js';
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
  const [query, setQuery] = useSearchParams();
  const [, go] = useLocation();
  const user = query.get('user') ?? '';
  const path = `${pathOf('apps', app)}/notifications`;
  const list = usePages<Notification, Notifications>(path, { user }, (page) => page.notifications);
  const here = (id?: string): void =>
    go(withQuery(appPath(app, pathOf('notifications', ...(id ? [id] : []))), { user }));
  useKeys({ Escape: () => chosen && here(), r: list.reload });
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
            <SearchField
              label="User"
              value={user}
              onChange={(value) => setQuery(value ? { user: value } : {}, { replace: true })}
            />
          </div>
          <List
            label="Notifications, newest first"
            pages={list}
            nameOf={({ id }) => id}
            chosen={chosen}
            onOpen={here}
            columns={columns}
            tracks="minmax(0, 1fr) minmax(0, 1.4fr) 8rem 6rem 6rem"
            narrow="minmax(0, 1fr) 8rem 4.5rem"
            empty={<None user={user} />}
          >
            {shown && (
              <NotificationDetail value={shown} instance={list.first?.instance ?? null} onClose={() => here()} />
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
