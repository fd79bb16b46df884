/** The database of a URL cannot be opened or migrated. The message is one line, without the URL's password. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';

  /** @param fault - the text after the name of the setting, such as `: connect ECONNREFUSED 127.0.0.1:5432` */
  constructor(
    private readonly fault: string,
    options?: { readonly cause?: unknown },
  ) {
    super(`TypeOrmStorageModule: url${fault}`, options);
  }

  /** The message with another name for the URL, such as that of an environment variable. */
  naming(setting: string): string {
    return setting + this.fault;
  }
}

/** Describes to the operator why the database at a URL failed. */
export function unavailable(url: string, cause: unknown): DatabaseUnavailable {
  if (cause instanceof DatabaseUnavailable) return cause;
  // SQLite's errors do not name the file.
  const place = url.startsWith('sqlite:') ? ` (${url})` : '';
  return new DatabaseUnavailable(`: ${reasonOf(cause)}${place}`, { cause });
}

/** The reason in one line. For a host with several addresses, the error has one error per address and no message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError) return [...new Set(error.errors.map(reasonOf))].join(', ');
  const reason = error.message.replace(/\s*\n\s*/g, ' ') || error.name;
  return isOfUnknownAuthority(error) ? `${reason}: ${unknownAuthority}` : reason;
}

/** OpenSSL's codes of a certificate that no trusted authority has signed. */
const isOfUnknownAuthority = ({ code }: Error & { readonly code?: unknown }): boolean =>
  /^(UNABLE_TO_(VERIFY|GET_ISSUER)|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT)/.test(String(code));

const unknownAuthority =
  'set sslrootcert in its query, or NODE_EXTRA_CA_CERTS, to the PEM file of its certificate authority, or ' +
  'sslmode=no-verify to accept any certificate';
