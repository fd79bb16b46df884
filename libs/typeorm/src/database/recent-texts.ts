/**
 * A cache of values derived from SQL texts, such as compiled statements. The limit is the total length of the texts,
 * because a statement takes memory by its length, and an INSERT of many rows has a different text for each number of
 * rows. It evicts the least recently used texts.
 */
export class RecentTexts<Made> {
  private readonly made = new Map<string, Made>();
  private characters = 0;

  constructor(private readonly maxCharacters = 256 * 1024) {}

  /** Returns the cached value of the text, or makes it. */
  get(text: string, make: () => Made): Made {
    const known = this.made.get(text);
    if (known !== undefined) {
      this.made.delete(text);
      this.made.set(text, known);
      return known;
    }
    const made = make();
    if (text.length > this.maxCharacters) return made;
    this.made.set(text, made);
    this.characters += text.length;
    this.forget();
    return made;
  }

  /** A Map iterates in insertion order: the first text is the least recently used. */
  private forget(): void {
    for (const text of this.made.keys()) {
      if (this.characters <= this.maxCharacters) return;
      this.made.delete(text);
      this.characters -= text.length;
    }
  }
}
