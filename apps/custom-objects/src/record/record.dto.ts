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
    'References, separated by commas: `expanded` of a record has the records that they name, with `object`, as far as the caller can read them, or null',
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
      description: 'Text to search for, in the fields that the caller can read',
    })
    q?: string;

    @TextField({ optional: true, maxLength: 40, description: 'Api-name of a field that the caller can read' })
    filterField?: string;

    @EnumField(FILTER_OPERATORS, {
      optional: true,
      description:
        'How `filterField` is compared with `filterValue`; `eq` by default. What a type offers is in `GET /api/crm/objects`',
    })
    filterOp?: FilterOperator;

    @ListField(field.text({ maxLength: 4000, minLength: 0 }), {
      optional: true,
      maxItems: MAX_VALUES,
      description:
        'The value of `filterField`, repeated for `in`. Of a field with several options: one that must be among them, or a JSON array of them',
    })
    filterValue?: string[];

    @TextField({
      optional: true,
      maxLength: 16_000,
      description:
        'JSON of a group of conditions: `{"and":[{"field":"amount","op":"gte","value":1000},{"or":[…]}]}`; at most 25 conditions, 5 groups deep. A date can be `{"relative":"thisWeek"}` or `{"relative":{"days":-7}}`, in the time zone of the workspace; a user `{"relative":"me"}`',
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
      'Up to three of: a field, `id`, `createdAt`, `updatedAt`, separated by commas; a leading `-` sorts in descending order. Records without a value come last. `-createdAt` by default',
  })
  sort?: string;

  @TextField({
    optional: true,
    maxLength: 4000,
    description: 'The fields that are answered, separated by commas; all that the caller can read by default',
  })
  fields?: string;

  @TextField(EXPAND)
  expand?: string;

  @EnumField(['only'], {
    optional: true,
    description:
      '`only` lists deleted records instead, the last deleted first, with `deleted: {at, by}`; they are kept for 30 days. Without filters, orders and a total',
  })
  deleted?: 'only';
}

/** Query parameters of an aggregate. */
export class AggregateQuery extends selecting(class {}) {
  @TextField({
    optional: true,
    maxLength: 100,
    description:
      'Up to two fields, separated by commas; a date or a time also by `:day`, `:week` (from Monday) or `:month`, which a time needs, in the time zone of the workspace. All records are one group without it',
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
      description: 'The largest group first',
      items: {
        type: 'object',
        required: ['group'],
        properties: {
          group: byField(
            'The value of each field of `groupBy`; of a period its first day; null for records without one',
          ),
          count: { type: 'integer', minimum: 0 },
          sum: byField('An exact decimal by field, however many digits it has; null where no record has a value'),
          avg: byField('As `sum`, with 16 digits at least'),
          min: byField('A number, a date or a time by field'),
          max: byField('As `min`'),
        },
      },
    },
    hasMore: { type: 'boolean', description: 'Whether there are more groups than are answered' },
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
  @IntegerField({ minimum: 1, description: 'How many records are erased, of those that the caller could read' })
  erased: number;
}

export class MergeInput {
  @IdField({ description: 'The record of the same object that is deleted' })
  loserId: string;

  @ListField(field.text({ maxLength: 40, example: 'phone' }), {
    optional: true,
    maxItems: 200,
    unique: true,
    description: "Api-names of the fields that take the other record's value; of any other only what is unset here",
  })
  fields?: string[];
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
