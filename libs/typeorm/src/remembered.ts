/** What is looked up for every request is remembered for so long, in milliseconds: changes are seen after it. */
const defaultRememberMs = 1000;

/** More than that is not kept at once. */
const maxRemembered = 10_000;

/** Remembers for a moment what was found. What was not found is looked up again. */
export class Remembered<T> {
  private readonly found = new Map<string, { readonly value: T; readonly until: number }>();

  constructor(private readonly rememberMs = defaultRememberMs) {}

  async get(key: string, lookUp: () => Promise<T | undefined>): Promise<T | undefined> {
    const known = this.found.get(key);
    if (known && known.until > performance.now()) return known.value;
    const value = await lookUp();
    if (this.found.size >= maxRemembered) this.found.clear();
    if (value === undefined) this.found.delete(key);
    else this.found.set(key, { value, until: performance.now() + this.rememberMs });
    return value;
  }

  forget(): void {
    this.found.clear();
  }
}
