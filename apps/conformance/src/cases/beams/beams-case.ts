import { type Case, sources } from '../../case.js';
import { expects, type Pattern } from '../../matching.js';
import type { Beams, BeamsRequest } from '../../beams.js';
import type { Subject } from '../../subject.js';

/** As every SDK reads an error. */
export const refusal = (status: number): Pattern => ({ status, json: { error: /./, description: /./ } });
export const bytes = (count: number): string => 'x'.repeat(count);
export const uuid = '[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}';

export const beamsCase = (
  id: string,
  title: string,
  source: string,
  run: (beams: Beams, subject: Subject) => Promise<void>,
): Case => ({
  id: `beams/${id}`,
  title,
  profile: 'beams',
  source,
  run: (subject) => run(subject.beams(), subject),
});

/** A request about a device, and the answer that must come. */
export const device = (
  id: string,
  title: string,
  answer: Pattern,
  request: (deviceId: string) => readonly [method: string, path: string, more?: Partial<BeamsRequest>],
): Case =>
  beamsCase(id, title, sources.deviceApi, async (beams) => {
    const [method, path, more] = request(await beams.registered());
    expects('the answer', await beams.device(method, path, more), answer);
  });
