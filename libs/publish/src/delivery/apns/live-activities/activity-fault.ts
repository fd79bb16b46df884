import { objectOr, type JsonObject } from '../../json.js';

/** Without these Apple accepts the push, but devices show nothing (beams-wire §11.1). */
const needed: Readonly<Record<string, readonly string[]>> = {
  start: ['alert', 'attributes-type', 'attributes'],
  update: ['content-state'],
  end: [],
};

/** What is missing in a push of a Live Activity. */
export function activityFault({ aps }: JsonObject): string | undefined {
  const given = objectOr(aps);
  const { event } = given;
  if (typeof event !== 'string' || !Object.hasOwn(needed, event)) return '`aps.event` must be start, update or end';
  const missing = needed[event]?.find((name) => given[name] === undefined);
  return missing === undefined ? undefined : `\`aps.${missing}\` is missing, which the event ${event} needs`;
}
