/** What a pattern's parameters stand for in a channel's name, such as `{ orderId: '7' }`. */
export type ChannelParams = Readonly<Record<string, string>>;

/** One place of a pattern: a character, or one or more of any; of any but a dot, except in a tail. */
type Place = string | { readonly isTail: boolean };

const parameter = /\{([A-Za-z_]\w*)(\*?)\}/g;

/**
 * Names of channels that are alike, as routes are: `private-orders.{orderId}`. A parameter stands for one or more
 * characters but the dot, `{path*}` for any.
 */
export class ChannelPattern {
  readonly isPresence: boolean;
  private readonly expression: RegExp;
  private readonly places: readonly Place[];

  /** @throws Error when it is no pattern */
  constructor(readonly text: string) {
    const names = Array.from(text.matchAll(parameter), ([, name]) => name!);
    const rest = text.replace(parameter, '\0');
    if (!/^[A-Za-z0-9_\-=@,.;\0]+$/.test(rest)) throw new Error('has what no name of a channel has');
    if (rest.includes('\0\0')) throw new Error('needs something between two parameters');
    if (new Set(names).size < names.length) throw new Error('has a parameter twice');
    this.isPresence = text.startsWith('presence-');
    this.expression = new RegExp(`^${text.replaceAll('.', '\\.').replace(parameter, groupOf)}$`);
    this.places = placesOf(text);
  }

  /** @returns the parameters of a name that is like this; undefined for another */
  match(name: string): ChannelParams | undefined {
    const found = this.expression.exec(name);
    return found ? { ...found.groups } : undefined;
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

const groupOf = (_: string, name: string, star: string): string => `(?<${name}>${star ? '.' : '[^.]'}+)`;

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
