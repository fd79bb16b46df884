import { styleText } from 'node:util';

/** The styles that the command line uses. */
export type Style = 'bold' | 'red' | 'green' | 'yellow' | 'cyan';

/** The colours of the console's tones; others stay plain. */
const tones: Readonly<Record<string, Style>> = { good: 'green', bad: 'red', warn: 'yellow', accent: 'cyan' };

/** The style of a tone of the console's words, if it has one. */
export const styleOf = (tone: string): Style | undefined => tones[tone];

/** The text in that style on a terminal with colours, and otherwise as it is: NO_COLOR and the like are honoured. */
export const styled = (style: Style | undefined, text: string, to: NodeJS.WriteStream = process.stdout): string =>
  // FORCE_COLOR would colour what a script reads.
  style && to.isTTY ? styleText(style, text, { stream: to }) : text;
