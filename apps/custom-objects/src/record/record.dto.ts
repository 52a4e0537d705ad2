import {
  DateTimeField,
  EnumField,
  field,
  IdField,
  IntegerField,
  type JsonSchema,
  type ListAnswer,
  ListField,
  ListQuery,
  TextField,
} from '@crm/http';
import type { Type } from '@nestjs/common';
import { MAX_GROUPS } from '../finding/record-aggregate.repository.js';
import { MAX_VALUES } from '../finding/record-filter.js';
import { FILTER_OPERATORS, type FilterOperator } from '../object/filter-operators.js';
import { JSON_TYPE } from '../object/object-catalogue.dto.js';
import type { TaggedRecord } from './record.service.js';

const EXPAND = {
  optional: true,
  maxLength: 250,
  description:
    "References, separated by commas. A record's `expanded` contains the records they refer to, with `object`, or null if the caller can't read them",
} as const;

export class GetRecordQuery {
  @TextField(EXPAND) expand?: string;
}

/** The query parameters that select records, in addition to those of a class. */
function selecting<Base extends Type<object>>(base: Base) {
  class SelectingQuery extends base {
    @TextField({
      optional: true,
      maxLength: 200,
      description: 'Text to search for in the fields that the caller can read',
    })
    q?: string;

    @TextField({ optional: true, maxLength: 40, description: 'API name of a field that the caller can read' })
    filterField?: string;

    @EnumField(FILTER_OPERATORS, {
      optional: true,
      description:
        'How to compare `filterField` with `filterValue`; `eq` by default. `GET /api/crm/objects` lists the operators of each field',
    })
    filterOp?: FilterOperator;

    @ListField(field.text({ maxLength: 4000, minLength: 0 }), {
      optional: true,
      maxItems: MAX_VALUES,
      description:
        'The value of `filterField`; repeat it for `in`. For a multi-select: one of the options, or a JSON array of options',
    })
    filterValue?: string[];

    @TextField({
      optional: true,
      maxLength: 16_000,
      description:
        'JSON of a group of conditions: `{"and":[{"field":"amount","op":"gte","value":1000},{"or":[…]}]}`, with up to 25 conditions and 5 levels. A date can be `{"relative":"thisWeek"}` or `{"relative":{"days":-7}}`, in the time zone of the workspace; a user `{"relative":"me"}`',
      example: '{"and":[{"field":"createdAt","op":"gte","value":{"relative":"lastMonth"}}]}',
    })
    filter?: string;
  }
  return SelectingQuery;
}

/** Query parameters of a list of records. */
export class ListRecordsQuery extends selecting(ListQuery) {
  @TextField({
    optional: true,
    maxLength: 125,
    description:
      'Up to three of a field, `id`, `createdAt`, and `updatedAt`, separated by commas; a leading `-` sorts in descending order. Records without a value come last. `-createdAt` by default',
  })
  sort?: string;

  @TextField({
    optional: true,
    maxLength: 4000,
    description: 'The fields to return, separated by commas; by default all that the caller can read',
  })
  fields?: string;

  @TextField(EXPAND)
  expand?: string;

  @EnumField(['only'], {
    optional: true,
    description:
      "`only` lists deleted records instead, the last deleted first, with `deleted: {at, by}`. They are kept for 30 days. Filters, sorting, and a total aren't available",
  })
  deleted?: 'only';
}

/** Query parameters of an aggregate. */
export class AggregateQuery extends selecting(class {}) {
  @TextField({
    optional: true,
    maxLength: 100,
    description:
      'Up to two fields, separated by commas; a date or a time also by `:day`, `:week` (from Monday) or `:month`, which a time needs, in the time zone of the workspace. Without it, all records form one group',
    example: 'stage,closeDate:month',
  })
  groupBy?: string;

  @TextField({
    optional: true,
    maxLength: 500,
    description:
      'Up to ten of `count`, `sum:<field>`, `avg:<field>`, `min:<field>`, `max:<field>`, separated by commas; `count` by default. Dates and times have min and max',
    example: 'count,sum:amount',
  })
  metrics?: string;
}

/** A member for each field. */
const byField = (description: string): JsonSchema => ({ type: 'object', additionalProperties: true, description });

const GROUPS: JsonSchema = {
  type: 'object',
  required: ['data', 'hasMore'],
  properties: {
    data: {
      type: 'array',
      maxItems: MAX_GROUPS,
      description: 'Largest group first',
      items: {
        type: 'object',
        required: ['group'],
        properties: {
          group: byField(
            'The value of each field in `groupBy`; for a period its first day; null for records without a value',
          ),
          count: { type: 'integer', minimum: 0 },
          sum: byField('Exact decimals by field, with any number of digits; null if no record has a value'),
          avg: byField('As `sum`, with at least 16 digits'),
          min: byField('Numbers, dates, or times by field'),
          max: byField('As `min`'),
        },
      },
    },
    hasMore: { type: 'boolean', description: 'Whether more groups exist than are returned' },
  },
};

/** How an aggregate is answered. */
export const AGGREGATE = {
  body: GROUPS,
  example: {
    data: [{ group: { stage: 'proposal' }, count: 2, sum: { amount: 4200.5 } }],
    hasMore: false,
  },
};

export class ErasedView {
  @IntegerField({
    minimum: 1,
    description: 'How many records were permanently deleted, of those that the caller could read',
  })
  erased: number;
}

export class MergeInput {
  @IdField({ description: 'The record of the same object to merge, which is deleted' })
  loserId: string;

  @ListField(field.text({ maxLength: 40, example: 'phone' }), {
    optional: true,
    maxItems: 200,
    unique: true,
    description:
      "API names of the fields that take the other record's value; other fields take it only if they are empty",
  })
  fields?: string[];
}

/** Members of every record; its fields stand beside them. */
export class RecordHeadView {
  @IdField() id: string;
  @IntegerField({ minimum: 1, description: 'Increases with every change. Part of the ETag' }) version: number;
  @DateTimeField() createdAt: string;
  @DateTimeField() updatedAt: string;
}

/** The part of the HTTP reply that the routes of records need. */
export interface Reply {
  header(name: string, value: string): unknown;
}

/** @returns the body of the reply, whose type and entity tag are set */
export function replyWithRecord(reply: Reply, { json, etag }: TaggedRecord): string {
  reply.header('content-type', JSON_TYPE);
  reply.header('etag', etag);
  return json;
}

/**
 * @param list with the JSON of each record
 * @returns the body; the content type is set
 */
export function replyWithList(reply: Reply, { data, ...rest }: ListAnswer<string>): string {
  reply.header('content-type', JSON_TYPE);
  // Put together at once: join would copy each record before.
  let records = data[0] ?? '';
  for (let index = 1; index < data.length; index += 1) records += `,${data[index]}`;
  return `{"data":[${records}],${JSON.stringify(rest).slice(1)}`;
}
