import type { ListAnswer } from '@crm/http';
import type { TaggedRecord } from './record.service.js';

/** The part of the HTTP reply that the routes of records need. */
export interface Reply {
  header(name: string, value: string): unknown;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** @returns the body of the reply, whose type and entity tag are set */
export function shown(reply: Reply, { json, etag }: TaggedRecord): string {
  reply.header('content-type', JSON_TYPE);
  reply.header('etag', etag);
  return json;
}

/**
 * @param list with the JSON of each record
 * @returns the body of the reply, whose type is set
 */
export function shownList(reply: Reply, { data, ...rest }: ListAnswer<string>): string {
  reply.header('content-type', JSON_TYPE);
  return `{"data":[${data.join(',')}],${JSON.stringify(rest).slice(1)}`;
}
