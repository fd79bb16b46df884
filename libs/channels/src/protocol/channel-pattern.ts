/** What a pattern's parameters stand for in a channel's name, such as `{ orderId: '7' }`. */
export type ChannelParams = Readonly<Record<string, string>>;

/** A parameter of a pattern, and the text between it and the next. */
interface Part {
  readonly name: string;
  readonly isTail: boolean;
  readonly after: string;
}

/** One place of a pattern: a character, or one or more of any; of any but a dot, except in a tail. */
type Place = string | { readonly isTail: boolean };

const parameter = /\{([A-Za-z_]\w*)(\*?)\}/g;

/**
 * Names of channels that are alike, as routes are: `private-orders.{orderId}`. A parameter stands for one or more
 * characters but the dot, `{path*}` for any.
 */
export class ChannelPattern {
  readonly isPresence: boolean;
  /** What stands before the first parameter. */
  private readonly head: string;
  private readonly parts: readonly Part[];
  private readonly places: readonly Place[];

  /** @throws Error when it is no pattern */
  constructor(readonly text: string) {
    const names = Array.from(text.matchAll(parameter), ([, name]) => name!);
    const rest = text.replace(parameter, '\0');
    if (!/^[A-Za-z0-9_\-=@,.;\0]+$/.test(rest)) throw new Error('has what no name of a channel has');
    if (rest.includes('\0\0')) throw new Error('needs something between two parameters');
    if (new Set(names).size < names.length) throw new Error('has a parameter twice');
    this.isPresence = text.startsWith('presence-');
    [this.head = '', ...this.parts] = partsOf(text);
    this.places = placesOf(text);
  }

  /**
   * A parameter takes as many characters as it can, the first before the second. Compared part by part from the end, with
   * one look at each character for each parameter: as a regular expression, several parameters can take seconds for one name.
   *
   * @returns the parameters of a name that is like this; undefined for another
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

  /** Whether some name is like both. */
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

/** Where a parameter ends at the latest that begins at each character, so that what follows is like what follows it. */
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

/** What stands before the first parameter, and each parameter. */
function partsOf(text: string): [head: string, ...Part[]] {
  const all = [...text.matchAll(parameter)];
  const parts = all.map(({ 0: { length }, 1: name = '', 2: star, index }, i) => {
    const after = text.slice(index + length, all[i + 1]?.index);
    return { name, isTail: star === '*', after };
  });
  return [text.slice(0, all[0]?.index), ...parts];
}

function placesOf(text: string): Place[] {
  const places: Place[] = [];
  let end = 0;
  for (const { 0: all, 2: star, index } of text.matchAll(parameter)) {
    places.push(...text.slice(end, index), { isTail: star === '*' });
    end = index + all.length;
  }
  return [...places, ...text.slice(end)];
}

function haveCommon(one: Place, other: Place): boolean {
  if (typeof one === 'string') return typeof other === 'string' ? one === other : other.isTail || one !== '.';
  return typeof other === 'string' ? haveCommon(other, one) : true;
}

/** Where one may be when a character was taken: a parameter may take more. */
const after = (place: Place, at: number): number[] => (typeof place === 'string' ? [at + 1] : [at, at + 1]);
