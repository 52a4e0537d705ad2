import { DateTimeField, IdField, IntegerField, type ListAnswer, ListQuery, TextField } from '@crm/http';
import type { TaggedRecord } from './record.service.js';

/** Query parameters of a list of records. */
export class ListRecordsQuery extends ListQuery {
  @TextField({
    optional: true,
    maxLength: 200,
    description: 'Text to search for, in the fields that the caller can read',
  })
  q?: string;

  @TextField({ optional: true, maxLength: 40, description: 'Api-name of a field that the caller can read' })
  filterField?: string;

  @TextField({
    optional: true,
    maxLength: 4000,
    description:
      'The value that `filterField` must have. Of a field with several options: one that must be among them, or a JSON array of them',
  })
  filterValue?: string;

  @TextField({
    optional: true,
    maxLength: 41,
    description:
      'Field to sort by, or `id`, `createdAt`, `updatedAt`; a leading `-` sorts in descending order. Records without a value come last. `-createdAt` by default',
  })
  sort?: string;
}

/** Members of every record; its fields stand beside them. */
export class RecordHeadView {
  @IdField() id: string;
  @IntegerField({ minimum: 1, description: 'Increases with every change; part of the ETag' }) version: number;
  @DateTimeField() createdAt: string;
  @DateTimeField() updatedAt: string;
}

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
 * @returns the body; the content type is set
 */
export function shownList(reply: Reply, { data, ...rest }: ListAnswer<string>): string {
  reply.header('content-type', JSON_TYPE);
  // Put together at once: join would copy each record before.
  let records = data[0] ?? '';
  for (let index = 1; index < data.length; index += 1) records += `,${data[index]}`;
  return `{"data":[${records}],${JSON.stringify(rest).slice(1)}`;
}
