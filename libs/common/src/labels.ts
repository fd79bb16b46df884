/** So many of a kind become labels in one process: apps and instances come and go, and reasons are others' words. */
const most = 100;

/** The labels of one kind of a metric, bounded; when there are enough, the next are `other`. */
export class Labels {
  private readonly known = new Set<string>();

  label(text: string): string {
    if (this.known.size < most) this.known.add(text);
    return this.known.has(text) ? text : 'other';
  }
}
