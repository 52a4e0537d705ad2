import type { EventEmitter } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';

const MAPPED = /::ffff:(?=\d+\.\d+\.\d+\.\d+(?:[\s,]|$))/gi;

/**
 * A server that listens on `::` would name IPv4 clients in the spelling of IPv6: limits, trails and comparisons see one name,
 * which stays when the client has gone.
 */
export function nameClients(server: EventEmitter, isTls: boolean): void {
  server.on(isTls ? 'secureConnection' : 'connection', (socket: { readonly remoteAddress?: string }) => {
    const value = (socket.remoteAddress ?? '').replace(MAPPED, '');
    Object.defineProperty(socket, 'remoteAddress', { value });
  });
}

/** The same for what a proxy says that listens so. */
export function nameForwarded(headers: IncomingHttpHeaders): void {
  const forwarded = headers['x-forwarded-for'];
  if (typeof forwarded === 'string') headers['x-forwarded-for'] = forwarded.replace(MAPPED, '');
}
