import { UserRound } from 'lucide-preact';
import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { useAnswer } from '../api/answer.js';
import { ask, pathOf, withQuery } from '../api/ask.js';
import type { Notifications, UserDetail, UserPushes } from '../api/contract.js';
import { ActivityTimeline } from './activity-timeline.js';
import { ReachedBadge } from '../notifications/notification-detail.js';
import { counted } from '../parts/amounts.js';
import { Form, LinkButton, Submit } from '../parts/button.js';
import { SearchInput } from '../parts/fields.js';
import { FirstFew } from '../parts/first-few.js';
import { ConfirmButton } from '../parts/dialog.js';
import { tried } from '../parts/toasts.js';
import { Ago, Badge, Chips, Empty, Failure, Note, PageHead } from '../parts/words.js';
import { platformNames } from '../push/platforms.js';
import type { PageProps } from '../settings/kinds.js';
import { appPath, instancePath, processName } from '../shell/whereabouts.js';
import { notificationSteps, pushSteps } from './told-steps.js';

/** One user: connections now and lately, channels, devices, notifications. */
export function UserPage({ id: app, chosen = '' }: PageProps) {
  const path = `${pathOf('apps', app)}/${pathOf('users', chosen)}`;
  const { value, failure, reload } = useAnswer<UserDetail>(chosen ? path : null, 3000);
  return (
    <>
      <PageHead title={chosen || 'Users'} actions={value && <Actions app={app} value={value} onEnded={reload} />}>
        {!chosen && 'A user is signed in on a connection, present on a channel, or has devices.'}
      </PageHead>
      <Find key={chosen} app={app} chosen={chosen} />
      <Failure value={failure} />
      {value && value.missingNodes > 0 && (
        <Note tone="warn">
          {counted(value.missingNodes, 'process', 'processes')} did not answer: connections may be missing here.
        </Note>
      )}
      {value && <Parts app={app} value={value} />}
      {!chosen && (
        <Empty icon={UserRound} title="Which user?">
          Enter the id that your server gives the user. Each user id in this console leads here, too.
        </Empty>
      )}
    </>
  );
}

function Find({ app, chosen }: { readonly app: string; readonly chosen: string }) {
  const [, go] = useLocation();
  const [id, setId] = useState(chosen);
  return (
    <Form class="row" onSubmit={() => go(appPath(app, pathOf('users', id)))}>
      <SearchInput
        class="short"
        data-search
        required
        aria-label="User id"
        placeholder="alice"
        value={id}
        onChange={(given) => setId(given.trim())}
      />
      <Submit>Show</Submit>
    </Form>
  );
}

function Actions({ app, value, onEnded }: { readonly app: string; readonly value: UserDetail; onEnded(): void }) {
  const { id, connections, devices } = value;
  const connected = counted(connections.length, 'connection');
  const path = `${pathOf('apps', app)}/${pathOf('users', id)}`;
  const end = async (): Promise<void> => {
    await tried(() => ask('DELETE', path), `Closed ${connected} of ${id}.`);
    onEnded();
  };
  return (
    <>
      <LinkButton to={withQuery(appPath(app, 'live'), { text: id })}>Live</LinkButton>
      <LinkButton to={withQuery(appPath(app, 'why'), { user: id })}>Why?</LinkButton>
      {devices[0] && (
        <LinkButton to={withQuery(instancePath(devices[0].instance, 'composer'), { users: id })}>Notify</LinkButton>
      )}
      {connections.length > 0 && (
        <ConfirmButton title={`Disconnect ${id}?`} action="Disconnect" onConfirm={() => void end()}>
          Closes {connected} with code 4009. The SDKs do not reconnect by themselves.
        </ConfirmButton>
      )}
    </>
  );
}

function Parts({ app, value }: { readonly app: string; readonly value: UserDetail }) {
  const { id, connections, devices, timeline } = value;
  const notifications = useNotifications(app, id);
  const toldPath = withQuery(pathOf('apps', app, 'pushes'), { user: id });
  const { value: told } = useAnswer<UserPushes>(devices.length > 0 ? toldPath : null, toldMs);
  const channels = [...new Set(connections.flatMap((each) => each.channels))].toSorted();
  return (
    <div class="halves">
      <div class="stack">
        <section class="card stack" aria-label="Connections">
          <h2>{connections.length > 0 ? counted(connections.length, 'connection') : 'Not connected'}</h2>
          <FirstFew items={connections} count={8}>
            {(some) =>
              some.map(({ socketId, connectedAt, remoteAddress, node }) => (
                <p key={socketId}>
                  <Link class="mono" href={appPath(app, pathOf('connections', socketId))}>
                    {socketId}
                  </Link>{' '}
                  <span class="small soft">
                    connected <Ago at={connectedAt} /> from {remoteAddress}, to {processName(node)}
                  </span>
                </p>
              ))
            }
          </FirstFew>
        </section>
        <section class="card stack" aria-label="Subscribed channels">
          <h2>{countedOrNo(channels.length, 'channel')}</h2>
          {channels.length > 0 && <Chips names={channels} to={(name) => appPath(app, pathOf('channels', name))} />}
        </section>
        <section class="card stack" aria-label="Devices">
          <h2>{countedOrNo(devices.length, 'device')}</h2>
          <FirstFew items={devices} count={8}>
            {(some) =>
              some.map(({ instance, id, platform }) => (
                <p key={`${instance} ${id}`}>
                  <Badge>{platformNames[platform]}</Badge>{' '}
                  <Link class="mono small break" href={instancePath(instance, pathOf('devices', id))}>
                    {id}
                  </Link>
                </p>
              ))
            }
          </FirstFew>
        </section>
        <Notified app={app} user={id} value={notifications} />
      </div>
      <section class="card stack" aria-label="Activity">
        <h2>Activity</h2>
        <ActivityTimeline
          value={timeline}
          more={[...notificationSteps(notifications?.notifications ?? []), ...pushSteps(told?.pushes ?? [])]}
        />
      </section>
    </div>
  );
}

const countedOrNo = (count: number, what: string): string => (count === 0 ? `No ${what}s` : counted(count, what));

const shownNotifications = 10;
/** How often notifications and pushes are asked for. */
const toldMs = 10_000;

const notificationsPath = (app: string): string => appPath(app, 'notifications');

const useNotifications = (app: string, user: string): Notifications | undefined =>
  useAnswer<Notifications>(withQuery(notificationsPath(app).slice(1), { user }), toldMs).value;

/** The latest notifications, if the app has any. */
function Notified(props: { readonly app: string; readonly user: string; readonly value: Notifications | undefined }) {
  const { app, user, value } = props;
  const path = notificationsPath(app);
  if (!value?.isOn) return null;
  return (
    <section class="card stack" aria-label="Notifications">
      <h2>Notifications</h2>
      {value.notifications.length === 0 && <p class="soft">No notification of this user is stored.</p>}
      {value.notifications.slice(0, shownNotifications).map((each) => (
        <p key={each.id}>
          <ReachedBadge value={each} />{' '}
          <Link href={withQuery(`${path}/${pathOf(each.id)}`, { user })}>{each.title ?? each.name}</Link>{' '}
          <Ago at={each.at} />
        </p>
      ))}
      {value.notifications.length > 0 && <Link href={withQuery(path, { user })}>All notifications of {user}</Link>}
    </section>
  );
}
