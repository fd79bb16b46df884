import { isObject, type JsonObject } from '../json.js';

/** The member by which browsers know the form: the number of the RFC of web push. */
const web_push = 8030;

/** Makes the link that a click on a device's notification opens. */
export type OpenLinkOf = (deviceId: string, to: string) => string;

/**
 * The content of a notification for browsers that show it themselves, without the site's service worker: Declarative
 * Web Push (https://www.w3.org/TR/push-api/#declarative-push-message), in Safari since 18.4. A worker that was lost or
 * stopped then ends no subscription. The form needs a title and a link; without them a worker must show the
 * notification, as in other browsers.
 *
 * @param content - what the service worker of the SDK reads (beams-wire §5.1); it is left as it is
 * @returns the content for a device, or `undefined` without a title or a link
 */
export function declarativeMessage(
  content: JsonObject,
  linkOf: OpenLinkOf,
): ((deviceId: string) => Buffer) | undefined {
  const { notification } = content;
  if (!isObject(notification)) return undefined;
  const { title, deep_link: to } = notification;
  if (typeof title !== 'string' || title === '' || typeof to !== 'string' || !isWebLink(to)) return undefined;
  const badge = badgeOf(notification);
  return (deviceId) => {
    const navigate = linkOf(deviceId, to);
    const shown = { ...notification, ...badge?.ofNotification, navigate };
    return Buffer.from(JSON.stringify({ ...content, web_push, ...badge?.ofMessage, notification: shown }));
  };
}

/** The badge of the app's icon. The explainer has it as a number of the message, Safari's manual as a text beside the title. */
function badgeOf({ app_badge: given }: JsonObject) {
  const count = given === undefined || given === null || given === '' ? NaN : Number(given);
  if (!Number.isSafeInteger(count) || count < 0) return undefined;
  return { ofMessage: { app_badge: count }, ofNotification: { app_badge: String(count) } };
}

const isWebLink = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
