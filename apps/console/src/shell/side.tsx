import { Keyboard, LogOut, Monitor, Moon, Sun } from 'lucide-preact';
import { Link } from 'wouter-preact';
import { session, signOut } from '../api/session.js';
import { Button } from '../parts/button.js';
import { tried } from '../parts/toasts.js';
import { Badge } from '../parts/words.js';
import type { Kind } from '../settings/kinds.js';
import { appPlaces, instancePlaces, overviewPlace, type MenuItem, settingsPlace } from './menu-items.js';
import { nextTheme, theme } from './theme.js';
import { appPath, instancePath, overview, pushPath, useWhereabouts } from './whereabouts.js';

/** The navigation, for the current app and instance. */
export function Side(props: { readonly open: boolean; onKeys(): void }) {
  const { app, instance, column, place, go } = useWhereabouts();
  const { apps = [], instances = [], failingEndpoints = [] } = overview.value ?? {};
  const links = (kind: Kind, owner: string, places: readonly MenuItem[], pathOf: (place: string) => string) =>
    places.map((each) => (
      <NavLink
        key={each.path}
        place={each}
        to={pathOf(each.path)}
        failing={each.path === 'webhooks' ? failingEndpoints.filter((failing) => failing.owner === owner).length : 0}
        here={column === kind && place === each.path}
      />
    ));
  return (
    <aside class={props.open ? 'stack side open' : 'stack side'} id="side" aria-label="Menu">
      <Brand />
      <nav class="stack" aria-label="Console">
        <section>
          <NavLink place={overviewPlace} to="/" here={place === ''} />
        </section>
        <section aria-label="Channels">
          <Switcher
            label="Channels app"
            none="No app"
            all={apps}
            value={app}
            onChange={(id) => go(appPath(id, column === 'apps' ? place : 'live'))}
          />
          {app && links('apps', app, appPlaces, (path) => appPath(app, path))}
        </section>
        <section aria-label="Push">
          <Switcher
            label="Push instance"
            none="No instance"
            all={instances}
            value={instance}
            onChange={(id) => go(instancePath(id, column === 'instances' ? place : 'devices'))}
          />
          {links('instances', `instance/${instance}`, instancePlaces, (path) => pushPath(instance, path))}
        </section>
        <section>
          <NavLink place={settingsPlace} to="/settings" here={column === 'settings'} />
        </section>
      </nav>
      <Foot onKeys={props.onKeys} />
    </aside>
  );
}

export const Brand = () => (
  <Link class="row brand" href="/">
    <img src="/console/icon.svg" alt="" width="28" height="28" /> Rookery
  </Link>
);

const NavLink = (props: {
  readonly place: MenuItem;
  readonly to: string;
  readonly here: boolean;
  /** How many endpoints behind it fail. */
  readonly failing?: number;
}) => {
  const { name, icon: Icon, key } = props.place;
  const { failing = 0 } = props;
  return (
    <Link class="nav-link" href={props.to} aria-current={props.here ? 'page' : undefined} title={`g ${key}`}>
      <Icon size={17} aria-hidden="true" /> {name}
      {failing > 0 && <Badge tone="bad">{failing} failing</Badge>}
    </Link>
  );
};

function Switcher(props: {
  readonly label: string;
  readonly none: string;
  readonly all: readonly { readonly id: string; readonly name: string | null }[];
  readonly value: string | undefined;
  onChange(id: string): void;
}) {
  const { value } = props;
  const ids = props.all.map(({ id }) => id);
  const nameOf = (of: string): string => props.all.find(({ id }) => id === of)?.name ?? of;
  // The address may name one that is removed, or not loaded yet: it is listed too.
  const all = value && !ids.includes(value) ? [value, ...ids] : ids;
  return (
    <label class="field">
      <small>{props.label}</small>
      <select
        value={value ?? ''}
        disabled={all.length === 0}
        onChange={(event) => props.onChange(event.currentTarget.value)}
      >
        {all.length === 0 && <option value="">{props.none}</option>}
        {all.map((id) => (
          <option key={id} value={id}>
            {nameOf(id)}
          </option>
        ))}
      </select>
    </label>
  );
}

function Foot({ onKeys }: { onKeys(): void }) {
  const Icon = { system: Monitor, light: Sun, dark: Moon }[theme.value];
  const words = `Colours: ${theme.value}`;
  return (
    <div class="row side-foot">
      <Button look="plain icon" aria-label={words} title={`${words} (t)`} onClick={nextTheme}>
        <Icon size={16} />
      </Button>
      <Button look="plain icon" aria-label="Keys" title="Keys (?)" onClick={onKeys}>
        <Keyboard size={16} />
      </Button>
      {session.value?.needsPassword && (
        <Button
          look="plain icon"
          aria-label="Sign out"
          title="Sign out"
          onClick={() => void tried(signOut, 'Signed out.')}
        >
          <LogOut size={16} />
        </Button>
      )}
      <span class="tiny faint">{session.value?.version}</span>
    </div>
  );
}
