/** The styles that the command line uses, by the codes that turn them on and off. */
const codes = { bold: [1, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const;

export type Style = keyof typeof codes;

/** A stream that may be a terminal. */
interface Output {
  readonly isTTY?: boolean;
  hasColors?(): boolean;
}

/** The text in that style on a terminal with colours; NO_COLOR and FORCE_COLOR are honoured. */
export function styled(style: Style, text: string, to: Output = process.stdout): string {
  // Node's hasColors reads the environment too.
  if (!to.isTTY || !to.hasColors?.()) return text;
  const [on, off] = codes[style];
  return `\u001b[${on}m${text}\u001b[${off}m`;
}
