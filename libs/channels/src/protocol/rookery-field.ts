/**
 * The event's data with one more field: `{"text":"Hi","rookery":{…}}`. Numbers keep their notation.
 *
 * @param data the JSON of an object
 */
export function withRookeryField(data: string, field: object): string {
  const open = data.trimEnd().slice(0, -1);
  const isEmpty = open.trim() === '{';
  return `${open}${isEmpty ? '' : ','}"rookery":${JSON.stringify(field)}}`;
}
