import { beforeAll, expect, it, vi } from 'vitest';
import { describeDatabases } from '../support/databases.js';
import { freePort } from '../support/free-port.js';
import { Random } from '../support/random.js';
import { buildModules } from '../support/server-process.js';
import { StreamReader } from '../support/stream-readers.js';
import { textOf } from '../support/stream-texts.mjs';
import { StreamingProcess } from '../support/streaming-process.js';
import { until } from '../support/until.js';

vi.setConfig({ testTimeout: 120_000 });

const count = 30;
const ids = Array.from({ length: count }, (_, n) => String(n));
const channels = ids.map((id) => `chat-${id}`);

beforeAll(buildModules, 180_000);

describeDatabases('Streams of a host that is killed', ({ url }) => {
  it('are ended at its restart, and say the same to present and later subscribers', async () => {
    const port = await freePort();
    const random = new Random(7);
    const first = await StreamingProcess.start({ url: url(), kind: 'own' }, port, [0, count]);
    const present = new StreamReader([port], channels, random);
    const textsOf = ({ heard }: StreamReader) => ids.map((id) => heard.get(id)?.text ?? '');
    first.begin();
    await until(() => textsOf(present).every((text) => text.length > 30), 'all streams are heard', 60_000);
    await first.kill();
    const second = await StreamingProcess.start({ url: url(), kind: 'own' }, port, [0, 0]);
    const late = new StreamReader([port], channels, random);
    const haveEnded = ({ heard }: StreamReader) => ids.every((id) => heard.get(id)?.end !== undefined);
    await until(() => haveEnded(present) && haveEnded(late), 'all streams have ended', 60_000);
    const last = new StreamReader([port], channels, random);
    await until(() => haveEnded(last), 'a client that comes after the end has all');
    for (const reader of [present, late, last]) {
      expect(textsOf(reader)).toEqual(textsOf(present));
      expect(reader.faults).toEqual([]);
      reader.stop();
    }
    expect(ids.filter((id) => present.heard.get(id)?.end === 'timeout').length).toBeGreaterThan(0);
    for (const id of ids) expect(textOf(Number(id)).startsWith(present.heard.get(id)!.text)).toBe(true);
    await second.kill();
  });
});
