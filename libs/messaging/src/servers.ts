import type { ConnectionOptions } from '@nats-io/nats-core';

/**
 * Where to connect to. With `tls://` the client refuses a server that offers no TLS: by default it would follow what the
 * server says, and with that whoever stands between them. The server's certificate is checked against the authorities that
 * Node trusts, `NODE_EXTRA_CA_CERTS` included.
 * @param url one or more addresses, separated by commas
 */
export function serversOf(url: string): Pick<ConnectionOptions, 'servers' | 'tls'> {
  const servers = url.split(',');
  return { servers, ...(servers.some((server) => server.trim().startsWith('tls://')) && { tls: {} }) };
}
