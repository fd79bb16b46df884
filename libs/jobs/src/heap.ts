/** A binary heap: the smallest value first, by `before`. Pushing and popping cost log n. */
export class Heap<Value> {
  private readonly values: Value[] = [];

  constructor(private readonly before: (left: Value, right: Value) => boolean) {}

  get size(): number {
    return this.values.length;
  }

  /** All values, in no order. */
  get all(): readonly Value[] {
    return this.values;
  }

  peek(): Value | undefined {
    return this.values[0];
  }

  push(value: Value): void {
    let index = this.values.length;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.before(value, this.at(parent))) break;
      this.values[index] = this.at(parent);
      index = parent;
    }
    this.values[index] = value;
  }

  pop(): Value | undefined {
    const first = this.values[0];
    const last = this.values.pop();
    if (last !== undefined && this.values.length > 0) this.sink(last);
    return first;
  }

  /** Moves a value down from the root to its place. */
  private sink(value: Value): void {
    let index = 0;
    for (let child = 1; child < this.values.length; child = 2 * index + 1) {
      if (child + 1 < this.values.length && this.before(this.at(child + 1), this.at(child))) child += 1;
      if (!this.before(this.at(child), value)) break;
      this.values[index] = this.at(child);
      index = child;
    }
    this.values[index] = value;
  }

  /** Callers keep indexes within the array, so there is a value. */
  private at(index: number): Value {
    return this.values[index] as Value;
  }
}
