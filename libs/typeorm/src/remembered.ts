/** How long values looked up for every request are cached, in milliseconds: changes take effect after it. */
const defaultRememberMs = 1000;

/** The maximum number of cached values. */
const maxRemembered = 10_000;

/** Caches found values for a moment. Missing values are looked up each time. */
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
