import type { IncomingHttpHeaders } from 'node:http';
import { gzipSync } from 'node:zlib';
import { acceptedCodings } from '@crm/http';

/** Below it hardly a packet is saved. */
const LEAST_BYTES = 4 * 1024;
/** 25 records, 8.5 KB, become 2.1 KB in 34 µs; the default level saves 200 bytes for a third more time (record 0174). */
const LEVEL = 1;

/** Whether a client understands gzip (RFC 9110, section 12.5.3). */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  const codings = acceptedCodings(typeof header === 'string' ? header : '');
  return codings.has('gzip') || codings.has('*');
}

/** JSON of some length; an entity tag would be that of the uncompressed bytes. */
export const isCompressible = (status: number, headers: IncomingHttpHeaders, bytes: number): boolean =>
  status === 200 &&
  bytes >= LEAST_BYTES &&
  headers.etag === undefined &&
  headers['content-encoding'] === undefined &&
  headers['content-type']?.startsWith('application/json') === true;

/** At once: it takes less than handing the bytes to another thread and back. */
export const gzipped = (body: Buffer): Buffer => gzipSync(body, { level: LEVEL });
