import type { RecordView } from './record.js';
import type { TaggedRecord } from './record.service.js';

/** The part of the HTTP reply that the routes of records need. */
export interface Reply {
  header(name: string, value: string): unknown;
}

/** Sets the entity tag of the record that is returned. */
export function shown(reply: Reply, { record, etag }: TaggedRecord): RecordView {
  reply.header('etag', etag);
  return record;
}
