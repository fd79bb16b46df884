import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DatabaseUnavailable, openDatabase } from 'rookery/internal/typeorm';
import { describePostgres, startPostgres, type TestPostgres } from '../support/postgres.js';

const fileOf = (name: string): string => fileURLToPath(new URL(`../support/tls/${name}`, import.meta.url));

describePostgres('PostgreSQL over TLS, as docs/storage.md describes it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-postgres-tls-'));
  let postgres: TestPostgres;
  let url: string;
  beforeAll(async () => {
    const [certFile, keyFile] = ['localhost.pem', 'localhost-key.pem'].map((name) => {
      const copy = join(folder, name);
      copyFileSync(fileOf(name), copy);
      chmodSync(copy, 0o600);
      return copy;
    });
    chmodSync(folder, 0o755);
    // PostgreSQL runs as another user than root, and reads only a key of its own.
    if (process.getuid?.() === 0) execFileSync('chown', ['postgres', certFile!, keyFile!]);
    const files = [`ssl_cert_file=${certFile}`, `ssl_key_file=${keyFile}`, `ssl_ca_file=${fileOf('renewed.pem')}`];
    postgres = await startPostgres('listen_addresses=127.0.0.1,127.0.0.2', 'ssl=on', ...files);
    url = postgres.url.replace('127.0.0.1', 'localhost');
  });
  afterAll(async () => {
    await postgres?.stop();
    rmSync(folder, { recursive: true });
  });

  /** How the server sees a connection with these parameters. */
  async function connection(parameters: Readonly<Record<string, string>>): Promise<unknown> {
    const database = await openDatabase(`${url}?${new URLSearchParams(parameters).toString()}`);
    try {
      const query = 'SELECT ssl, client_dn FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
      const [row] = await database.dataSource.query<unknown[]>(query);
      return row;
    } finally {
      await database.dataSource.destroy();
    }
  }

  it('is plain without sslmode, and with disable', async () => {
    expect(await connection({})).toMatchObject({ ssl: false });
    expect(await connection({ sslmode: 'disable' })).toMatchObject({ ssl: false });
  });

  it('checks the certificate against sslrootcert', async () => {
    expect(await connection({ sslmode: 'verify-full', sslrootcert: fileOf('ca.pem') })).toMatchObject({ ssl: true });
    const others: Readonly<Record<string, string>>[] = [
      { sslmode: 'verify-full' },
      { sslmode: 'verify-full', sslrootcert: fileOf('renewed.pem') },
    ];
    for (const parameters of others)
      await expect(connection(parameters)).rejects.toThrow(/unable to verify|certificate/);
  });

  it('checks the name in the certificate, too', async () => {
    const other = `${url.replace('localhost', '127.0.0.2')}?sslmode=verify-full&sslrootcert=${fileOf('ca.pem')}`;
    await expect(openDatabase(other)).rejects.toThrow(/127\.0\.0\.2 is not in the cert/);
  });

  it('takes any certificate with no-verify', async () => {
    expect(await connection({ sslmode: 'no-verify' })).toMatchObject({ ssl: true });
  });

  it('checks with require as with verify-full, except with uselibpqcompat', async () => {
    await expect(connection({ sslmode: 'require' })).rejects.toThrow(/unable to verify/);
    expect(await connection({ sslmode: 'require', uselibpqcompat: 'true' })).toMatchObject({ ssl: true });
  });

  it.each(['require', 'verify-full'])(
    'says what to set for a certificate of an unknown authority: %s',
    async (sslmode) => {
      await expect(connection({ sslmode })).rejects.toThrow(
        /^TypeOrmStorageModule: url: unable to verify .*: set sslrootcert in its query, or NODE_EXTRA_CA_CERTS, .* or sslmode=no-verify /,
      );
    },
  );

  it('shows the certificate of sslcert and sslkey', async () => {
    const own = { sslcert: fileOf('renewed.pem'), sslkey: fileOf('renewed-key.pem') };
    const seen = await connection({ sslmode: 'verify-full', sslrootcert: fileOf('ca.pem'), ...own });
    expect(seen).toEqual({ ssl: true, client_dn: '/CN=localhost' });
  });

  it('names a file that is not there', async () => {
    const missing = { sslmode: 'verify-full', sslrootcert: '/nowhere/ca.pem' };
    const refusal = connection(missing);
    await expect(refusal).rejects.toBeInstanceOf(DatabaseUnavailable);
    await expect(refusal).rejects.toThrow(/\/nowhere\/ca\.pem/);
  });
});
