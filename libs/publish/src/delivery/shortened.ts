import type { Platform } from 'rookery/push-device';
import { isObject, objectOr } from './json.js';
import type { PlatformPayload } from './push.gateway.js';

/** Where a platform's payload has the texts that the user sees. */
const places: Readonly<Record<Platform, readonly (readonly string[])[]>> = {
  apns: [
    ['aps', 'alert'],
    ['aps', 'alert', 'title'],
    ['aps', 'alert', 'subtitle'],
    ['aps', 'alert', 'body'],
  ],
  fcm: [
    ['notification', 'title'],
    ['notification', 'body'],
    ['android', 'notification', 'title'],
    ['android', 'notification', 'body'],
    ['android_v2', 'remote_notification', 'notification', 'title'],
    ['android_v2', 'remote_notification', 'notification', 'body'],
  ],
  web: [
    ['notification', 'title'],
    ['notification', 'body'],
  ],
};

const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * The payload with its longest shown text cut, at the end of a character and with `…`, so that it just fits; unchanged
 * if even that is too large.
 *
 * @param fits - whether the push service takes a payload
 */
export function shortened(
  platform: Platform,
  payload: PlatformPayload,
  fits: (payload: PlatformPayload) => boolean,
): PlatformPayload {
  const [longest] = places[platform]
    .map((place) => ({ place, text: textAt(payload, place) }))
    .toSorted((one, other) => Buffer.byteLength(other.text) - Buffer.byteLength(one.text));
  if (!longest || longest.text === '') return payload;
  const ends = [...characters.segment(longest.text)].map(({ index }) => index);
  const cut = (count: number): PlatformPayload =>
    withText(payload, longest.place, `${longest.text.slice(0, ends[count]).trimEnd()}…`);
  let [least, most] = [0, ends.length - 1];
  if (!fits(cut(least))) return payload;
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (fits(cut(middle))) least = middle;
    else most = middle - 1;
  }
  return cut(least);
}

function textAt(payload: PlatformPayload, place: readonly string[]): string {
  const found = place.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), payload);
  return typeof found === 'string' ? found : '';
}

function withText(payload: PlatformPayload, [name = '', ...rest]: readonly string[], text: string): PlatformPayload {
  return { ...payload, [name]: rest.length === 0 ? text : withText(objectOr(payload[name]), rest, text) };
}
