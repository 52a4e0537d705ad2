import { isIP } from 'node:net';

/** Protocols that carry secrets, and what a connection without encryption is called in ALLOW_PLAINTEXT. */
export const PLAINTEXT_KINDS = ['http', 'nats', 'postgres', 'redis', 'smtp'] as const;
export type PlaintextKind = (typeof PLAINTEXT_KINDS)[number];

/** Schemes that are not here are encrypted: https, tls, rediss, smtps. */
const KIND_OF: Readonly<Record<string, PlaintextKind>> = {
  'http:': 'http',
  'nats:': 'nats',
  'postgres:': 'postgres',
  'postgresql:': 'postgres',
  'redis:': 'redis',
  'smtp:': 'smtp',
};

export const ENCRYPTED_FORM: Readonly<Record<PlaintextKind, string>> = {
  http: 'https://',
  nats: 'tls://',
  postgres: 'sslmode=verify-full, with sslrootcert=<file> for an authority of your own',
  redis: 'rediss://',
  smtp: 'smtps://, or requireTLS=true',
};

/** @returns the kind of connection, undefined when it is encrypted or stays on this machine */
export function plaintextKindOf(url: URL): PlaintextKind | undefined {
  const kind = KIND_OF[url.protocol];
  if (!kind || isOnThisMachine(url)) return undefined;
  if (kind === 'postgres') return isVerified(url.searchParams) ? undefined : kind;
  if (kind === 'smtp') return url.searchParams.get('requireTLS') === 'true' ? undefined : kind;
  return kind;
}

/** A loopback address, a name for it (RFC 6761, section 6.3) or a Unix socket. */
function isOnThisMachine(url: URL): boolean {
  // Where the client of Postgres connects, if it is given; a path is that of a socket.
  const given = KIND_OF[url.protocol] === 'postgres' ? url.searchParams.get('host') : null;
  const host = decodeURIComponent(given ?? url.hostname)
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase();
  if (host === '' || host.startsWith('/')) return true;
  if (isIP(host) === 4) return host.startsWith('127.');
  return host === '::1' || host === 'localhost' || host.endsWith('.localhost');
}

/** Modes in which the client, pg, checks the certificate of the server. It does so in `require` too, unlike libpq. */
const VERIFYING = ['require', 'verify-ca', 'verify-full'];

function isVerified(parameters: URLSearchParams): boolean {
  const mode = parameters.get('sslmode');
  // Like in libpq, the modes in between check no name, or nothing.
  if (parameters.get('uselibpqcompat') === 'true') return mode === 'verify-full';
  if (mode !== null) return VERIFYING.includes(mode);
  return ['true', '1'].includes(parameters.get('ssl') ?? '');
}
