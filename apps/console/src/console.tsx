import { Compass, Smartphone } from 'lucide-preact';
import type { ComponentType } from 'preact';
import { Link, Route, Router, Switch } from 'wouter-preact';
import { nameOf } from './api/ask.js';
import { loadSession, session, sessionFailure } from './api/session.js';
import { ChannelsPage } from './channels/channels.page.js';
import { ConnectionsPage } from './connections/connections.page.js';
import { EventsPage } from './events/events.page.js';
import { LivePage } from './live/live.page.js';
import { NotificationsPage } from './notifications/notifications.page.js';
import { OverviewPage } from './overview/overview.page.js';
import { Button } from './parts/button.js';
import { Empty, Note, PageHead } from './parts/words.js';
import { ComposerPage } from './push/composer.page.js';
import { DevicesPage } from './push/devices.page.js';
import { PublishesPage } from './push/publishes.page.js';
import { CreateLink, isUnlisted, Unlisted } from './settings/create.js';
import { isKind, type Kind, type PageProps } from './settings/kinds.js';
import { SettingsPage } from './settings/settings.page.js';
import { Shell } from './shell/shell.js';
import { SignInPage } from './shell/sign-in.page.js';
import { askAboutUnsaved } from './shell/unsaved.js';
import { UserPage } from './users/user.page.js';
import { WebhooksPage } from './webhooks/webhooks.page.js';
import { WhyPage } from './why/why.page.js';

const pages: Readonly<Record<Kind, Readonly<Record<string, ComponentType<PageProps>>>>> = {
  apps: {
    live: LivePage,
    events: EventsPage,
    connections: ConnectionsPage,
    channels: ChannelsPage,
    users: UserPage,
    why: WhyPage,
    webhooks: WebhooksPage,
    notifications: NotificationsPage,
  },
  instances: {
    devices: DevicesPage,
    composer: ComposerPage,
    publishes: PublishesPage,
    webhooks: WebhooksPage,
  },
};

export function Console() {
  const { value } = session;
  if (!value) return <Waiting />;
  if (value.needsPassword && !value.signedIn) return <SignInPage />;
  return (
    <Router base="/console" aroundNav={askAboutUnsaved}>
      <Shell>
        <Switch>
          <Route path="/" component={OverviewPage} />
          <Route path="/settings" component={SettingsPage} />
          <Route path="/push" component={NoInstance} />
          {/* Each app has its own page instances, so that nothing of another app remains visible. */}
          <Route path="/:kind/:id/:place/:chosen?">
            {({ kind, id, place, chosen }) => {
              const Page = isKind(kind) && pages[kind][place];
              if (!Page) return <Nowhere />;
              return <Page key={`${place} ${id}`} kind={kind} id={nameOf(id)} chosen={chosen && nameOf(chosen)} />;
            }}
          </Route>
          <Route component={Nowhere} />
        </Switch>
      </Shell>
    </Router>
  );
}

function Waiting() {
  return (
    <main class="sign-in">
      {sessionFailure.value ? (
        <div class="card stack">
          <Note tone="warn">{sessionFailure.value}</Note>
          <Button onClick={() => void loadSession()}>Try again</Button>
        </div>
      ) : (
        <p class="faint" role="status">
          Loading
        </p>
      )}
    </main>
  );
}

const Nowhere = () => (
  <>
    <PageHead title="Page not found" />
    <Empty icon={Compass} title="There is nothing at this address">
      <Link href="/">Back to the overview</Link>
    </Empty>
  </>
);

/** A page over plain HTTP has no `crypto.randomUUID`. */
const randomHex = (bytes: number): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, '0')).join('');
const newInstanceId = randomHex(16).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');

/** With values of its own: a command that makes new ones would make another instance at each start. */
const instanceLines = `BEAMS_INSTANCE_ID=${newInstanceId} BEAMS_SECRET_KEY=${randomHex(32)} npx rookery`;

const NoInstance = () => (
  <>
    <PageHead title="Push" />
    {isUnlisted('instances') ? (
      <Unlisted kind="instances" />
    ) : (
      <Empty
        icon={Smartphone}
        title="No push instance is configured"
        code={instanceLines}
        action={<CreateLink kind="instances" />}
      >
        Push notifications belong to an instance. Configure one by environment variables, or as <code>instances</code>{' '}
        in the configuration file:
      </Empty>
    )}
  </>
);
