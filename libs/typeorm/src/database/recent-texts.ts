/**
 * What was made of texts of SQL, such as compiled statements. Bounded by the characters of all texts together, since a
 * statement takes memory by its length, and one that inserts many rows has a text of its own for each number of rows. The
 * texts that were used last are kept.
 */
export class RecentTexts<Made> {
  private readonly made = new Map<string, Made>();
  private characters = 0;

  constructor(private readonly mostCharacters = 256 * 1024) {}

  /** What was made of the text before, or is made now. */
  get(text: string, make: () => Made): Made {
    const known = this.made.get(text);
    if (known !== undefined) {
      this.made.delete(text);
      this.made.set(text, known);
      return known;
    }
    const made = make();
    if (text.length > this.mostCharacters) return made;
    this.made.set(text, made);
    this.characters += text.length;
    this.forget();
    return made;
  }

  /** A Map iterates in the order of insertion: the first text is the one that was used the longest time ago. */
  private forget(): void {
    for (const text of this.made.keys()) {
      if (this.characters <= this.mostCharacters) return;
      this.made.delete(text);
      this.characters -= text.length;
    }
  }
}
