/** A command that reaches this server, ready to paste. */
export function rookery(line: string, { origin, hostname, port } = location): string {
  // What the command takes by default.
  const isUsual = port === '6001' && (hostname === 'localhost' || hostname === '127.0.0.1');
  return `npx rookery ${line}${isUsual ? '' : ` --url ${origin}`}`;
}
