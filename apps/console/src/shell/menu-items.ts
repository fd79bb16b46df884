import {
  Activity,
  Bell,
  BellRing,
  CircleQuestionMark,
  Hash,
  LayoutDashboard,
  type LucideIcon,
  Plug,
  SendHorizontal,
  Settings,
  Smartphone,
  SquarePen,
  UserRound,
  Webhook,
} from 'lucide-preact';

export interface MenuItem {
  readonly name: string;
  /** The path below the app or instance. */
  readonly path: string;
  readonly icon: LucideIcon;
  /** The key that opens it, after `g`. */
  readonly key: string;
}

export const overviewPlace: MenuItem = { name: 'Overview', path: '', icon: LayoutDashboard, key: 'o' };
export const settingsPlace: MenuItem = { name: 'Apps and instances', path: 'settings', icon: Settings, key: 's' };

export const appPlaces: readonly MenuItem[] = [
  { name: 'Live', path: 'live', icon: Activity, key: 'l' },
  { name: 'Event creator', path: 'events', icon: SendHorizontal, key: 'e' },
  { name: 'Connections', path: 'connections', icon: Plug, key: 'c' },
  { name: 'Channels', path: 'channels', icon: Hash, key: 'h' },
  { name: 'Users', path: 'users', icon: UserRound, key: 'u' },
  { name: 'Why?', path: 'why', icon: CircleQuestionMark, key: 'w' },
  { name: 'Webhooks', path: 'webhooks', icon: Webhook, key: 'b' },
  { name: 'Notifications', path: 'notifications', icon: BellRing, key: 'n' },
];

export const instancePlaces: readonly MenuItem[] = [
  { name: 'Devices', path: 'devices', icon: Smartphone, key: 'd' },
  { name: 'Composer', path: 'composer', icon: SquarePen, key: 'm' },
  { name: 'Publishes', path: 'publishes', icon: Bell, key: 'p' },
  { name: 'Push webhooks', path: 'webhooks', icon: Webhook, key: 'k' },
];
