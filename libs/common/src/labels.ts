/** The most labels of one kind in a process: apps and instances come and go, and reasons are free text. */
const most = 100;

/** The labels of one kind of a metric; beyond the limit, new ones become `other`. */
export class Labels {
  private readonly known = new Set<string>();

  label(text: string): string {
    if (this.known.size < most) this.known.add(text);
    return this.known.has(text) ? text : 'other';
  }
}
