import { BadRequestException } from '@nestjs/common';
import { isObject } from '../is-object.js';

/** Replaces a secret that is not shown. In a change it means that the current secret stays. */
export const hidden = '********';

/** The displayable form of a secret. */
export const hide = (secret: unknown): typeof hidden | null =>
  secret === undefined || secret === null ? null : hidden;

/** Settings with `********` in place of the user, the password and the values of the query of each URL. */
export function hideCredentials<Shown>(settings: Shown): Shown {
  if (typeof settings === 'string') return shownUrl(settings) as Shown & string; // Still a text.
  if (Array.isArray(settings)) return settings.map(hideCredentials) as Shown & unknown[]; // Items keep their types.
  if (!isObject(settings)) return settings;
  const shown = Object.entries(settings).map(([name, value]) => [name, hideCredentials(value)]);
  return Object.fromEntries(shown) as Shown & object; // The fields are the same.
}

/**
 * Fills the unchanged secrets into a change. List items are matched by the `url` that was shown, otherwise by position
 * if the host is the same.
 * @throws BadRequestException naming the field, if there is no current secret
 */
export function withHidden(change: unknown, before: unknown, path: string): unknown {
  if (change === hidden) {
    if (typeof before === 'string') return before;
    throw new BadRequestException(`${path} is hidden and was not set before: give its value`);
  }
  if (typeof change === 'string') return withCredentials(change, before, path);
  if (Array.isArray(change)) {
    const counterparts = counterpartsOf(change, before, path);
    return change.map((item, i) => withHidden(item, counterparts[i], `${path}[${i}]`));
  }
  if (!isObject(change)) return change;
  const was = isObject(before) ? before : {};
  return Object.fromEntries(
    Object.entries(change).map(([name, value]) => [name, withHidden(value, was[name], `${path}.${name}`)]),
  );
}

function shownUrl(text: string): string {
  const url = webAddress(text);
  if (!url || !(hasUser(url) || url.search)) return text;
  const shown = hasUser(url) ? withUser(url, hidden, '') : url;
  shown.search = parametersOf(url)
    .map(({ name }) => (name ? `${name}=${hidden}` : hidden))
    .join('&');
  return shown.href;
}

/** Credentials stay with their host: an administrator who cannot read them cannot send them elsewhere. */
function withCredentials(change: string, before: unknown, path: string): string {
  const url = webAddress(change);
  if (!url || !hasHidden(url)) return change;
  if (typeof before === 'string' && shownUrl(before) === change) return before;
  const was = webAddress(before);
  const filled = was?.origin === url.origin ? filledFrom(was, url) : url;
  if (!hasHidden(filled)) return filled.href;
  throw new BadRequestException(`${path} has hidden credentials, and had none for this host before: give them`);
}

/** A URL whose hidden parts are filled in from the previous URL, as far as that has them. */
function filledFrom(was: URL, url: URL): URL {
  const filled = url.username === hidden && hasUser(was) ? withUser(url, was.username, was.password) : new URL(url);
  const left = parametersOf(was);
  filled.search = parametersOf(url)
    .map((parameter) => {
      const at = left.findIndex(({ name }) => name === parameter.name);
      const [current] = at < 0 ? [] : left.splice(at, 1);
      return isHidden(parameter) && current ? current.text : parameter.text;
    })
    .join('&');
  return filled;
}

/** A query parameter as written; one without a name has only a value. */
interface Parameter {
  readonly text: string;
  readonly name: string;
}

const parametersOf = ({ search }: URL): Parameter[] =>
  search === ''
    ? []
    : search
        .slice(1)
        .split('&')
        .map((text) => ({ text, name: text.slice(0, Math.max(0, text.indexOf('='))) }));

const isHidden = ({ text, name }: Parameter): boolean => text === (name ? `${name}=${hidden}` : hidden);

const hasHidden = (url: URL): boolean => url.username === hidden || parametersOf(url).some(isHidden);

/** The previous version of each list item. */
function counterpartsOf(change: readonly unknown[], before: unknown, path: string): readonly unknown[] {
  const items: readonly unknown[] = Array.isArray(before) ? before : [];
  const shown = items.map((item) => hideCredentials(urlOf(item)));
  const asked = change.map(urlOf);
  return change.map((_, i) => {
    const url = asked[i];
    if (url === undefined) return items[i];
    const alike = items.filter((_item, at) => shown[at] === url);
    const nth = asked.slice(0, i).filter((other) => other === url).length;
    const isClear = alike.length === asked.filter((other) => other === url).length;
    if (isClear || new Set(alike.map(urlOf)).size === 1) return alike[isClear ? nth : 0];
    const address = webAddress(url);
    if (alike.length > 0 && address && hasHidden(address))
      throw new BadRequestException(`${path}[${i}].url has hidden credentials, and there are several: give them`);
    if (alike.length > 0) return alike[0];
    // Its path may have changed, if the previous item at its place is not another's.
    const inPlace = urlOf(items[i]);
    const isTaken = inPlace === undefined || asked.includes(shown[i]);
    return !isTaken && webAddress(inPlace)?.origin === webAddress(url)?.origin ? items[i] : undefined;
  });
}

const urlOf = (item: unknown): string | undefined =>
  isObject(item) && typeof item['url'] === 'string' ? item['url'] : undefined;

const hasUser = ({ username, password }: URL): boolean => username !== '' || password !== '';

const webAddress = (text: unknown): URL | undefined =>
  typeof text === 'string' && /^\s*https?:/i.test(text) && URL.canParse(text) ? new URL(text) : undefined;

function withUser(url: URL, username: string, password: string): URL {
  const changed = new URL(url);
  changed.username = username;
  changed.password = password;
  return changed;
}
