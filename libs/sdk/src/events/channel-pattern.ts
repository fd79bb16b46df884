/** The values of a pattern's parameters in a channel's name, such as `{ orderId: '7' }`. */
export type ChannelParams = Readonly<Record<string, string>>;

/** A parameter of a pattern, and the literal text after it. */
interface Part {
  readonly name: string;
  readonly isTail: boolean;
  readonly after: string;
}

/** One position of a pattern: a character, or one or more of any; a dot only matches in a tail. */
type PatternPart = string | { readonly isTail: boolean };

const parameter = /\{([A-Za-z_]\w*)(\*?)\}/g;

/**
 * A pattern for channel names, like a route: `private-orders.{orderId}`. A parameter matches one or more characters
 * other than a dot, `{path*}` any characters.
 */
export class ChannelPattern {
  readonly isPresence: boolean;
  /** The literal text before the first parameter. */
  private readonly head: string;
  private readonly parts: readonly Part[];
  private readonly places: readonly PatternPart[];

  /** @throws Error when the pattern is invalid */
  constructor(readonly text: string) {
    const names = Array.from(text.matchAll(parameter), ([, name]) => name!);
    const rest = text.replace(parameter, '\0');
    if (!/^[A-Za-z0-9_\-=@,.;\0]+$/.test(rest)) {
      // As a route of Nest's or Express's has it.
      const [, name] = /[:*$]\{?([A-Za-z_]\w*)/.exec(text) ?? [];
      const hint = name === undefined ? '' : `: a parameter is written {${name}}`;
      throw new Error(`has a character that channel names cannot have${hint}`);
    }
    if (rest.includes('\0\0')) throw new Error('needs text between two parameters');
    if (new Set(names).size < names.length) throw new Error('uses a parameter name twice');
    this.isPresence = text.startsWith('presence-');
    [this.head = '', ...this.parts] = partsOf(text);
    this.places = placesOf(text);
  }

  /**
   * Each parameter is greedy, the first before the second. Parts are compared from the end, with one look at each
   * character for each parameter: a regular expression with several parameters can take seconds for one name.
   *
   * @returns the parameters of a name that matches; undefined otherwise
   */
  match(name: string): ChannelParams | undefined {
    const { head, parts } = this;
    if (!name.startsWith(head)) return undefined;
    if (parts.length === 0) return name === head ? {} : undefined;
    let canFollow = (at: number): boolean => at === name.length;
    const ends: number[][] = [];
    for (const part of parts.toReversed()) {
      const longest = longestEnds(part, name, head.length, canFollow);
      ends.unshift(longest);
      canFollow = (at) => longest[at] !== undefined;
    }
    return found(parts, ends, name, head.length);
  }

  /** Whether some name matches both. */
  overlaps({ places: others }: ChannelPattern): boolean {
    const { places } = this;
    const reached = new Set<string>();
    const canEnd = (at: number, other: number): boolean => {
      if (at === places.length || other === others.length) return at === places.length && other === others.length;
      const key = `${at} ${other}`;
      if (reached.has(key) || !haveCommon(places[at]!, others[other]!)) return false;
      reached.add(key);
      return after(places[at]!, at).some((next) => after(others[other]!, other).some((to) => canEnd(next, to)));
    };
    return canEnd(0, 0);
  }
}

/** For each character at which a parameter may begin: its latest end that lets the rest match. */
function longestEnds({ isTail, after: text }: Part, name: string, from: number, canFollow: (at: number) => boolean) {
  const ends: number[] = [];
  for (let at = name.length - 1; at >= from; at--) {
    if (!isTail && name[at] === '.') continue;
    const end = ends[at + 1] ?? at + 1;
    if (end > at + 1 || (name.startsWith(text, end) && canFollow(end + text.length))) ends[at] = end;
  }
  return ends;
}

function found(parts: readonly Part[], ends: readonly number[][], name: string, from: number) {
  let at = from;
  const params: [name: string, value: string][] = [];
  for (const [i, part] of parts.entries()) {
    const end = ends[i]![at];
    if (end === undefined) return undefined;
    params.push([part.name, name.slice(at, end)]);
    at = end + part.after.length;
  }
  return Object.fromEntries(params);
}

/** Splits a pattern into the text before the first parameter, and the parameters. */
function partsOf(text: string): [head: string, ...Part[]] {
  const all = [...text.matchAll(parameter)];
  const parts = all.map(({ 0: { length }, 1: name = '', 2: star, index }, i) => {
    const after = text.slice(index + length, all[i + 1]?.index);
    return { name, isTail: star === '*', after };
  });
  return [text.slice(0, all[0]?.index), ...parts];
}

function placesOf(text: string): PatternPart[] {
  const places: PatternPart[] = [];
  let end = 0;
  for (const { 0: all, 2: star, index } of text.matchAll(parameter)) {
    places.push(...text.slice(end, index), { isTail: star === '*' });
    end = index + all.length;
  }
  return [...places, ...text.slice(end)];
}

function haveCommon(one: PatternPart, other: PatternPart): boolean {
  if (typeof one === 'string') return typeof other === 'string' ? one === other : other.isTail || one !== '.';
  return typeof other === 'string' ? haveCommon(other, one) : true;
}

/** The positions after taking a character: a parameter may take more. */
const after = (place: PatternPart, at: number): number[] => (typeof place === 'string' ? [at + 1] : [at, at + 1]);
