import { BooleanField, EnumField, field, IntegerField, JsonField, ListField, TextField } from '@crm/http';

const BULK_OPERATIONS = ['create', 'update', 'upsert', 'delete'] as const;
export type BulkOperation = (typeof BULK_OPERATIONS)[number];

/** Records of one call at most. */
const MAX_BULK = 200;

export class BulkInput {
  @EnumField(BULK_OPERATIONS) operation: BulkOperation;

  @ListField(field.json(), {
    minItems: 1,
    maxItems: MAX_BULK,
    description:
      'The same as for the single call. A record to change or delete needs `id`, and `version` if only that version should be changed',
    example: [{ lastName: 'Lovelace' }],
  })
  records: Record<string, unknown>[];

  @TextField({
    optional: true,
    maxLength: 40,
    description:
      'For an upsert: the unique field used to find the record to change. If no record has the value, a new one is created',
  })
  matchField?: string;

  @BooleanField({
    optional: true,
    description: 'Whether to write nothing if one record is rejected; the response is then a 422',
  })
  atomic?: boolean;
}

export class BulkResultView {
  @IntegerField({ minimum: 0, description: 'Position of the record in the request, from 0' }) index: number;
  @EnumField(['created', 'updated', 'deleted', 'failed']) status: string;
  @TextField({ optional: true, maxLength: 36, description: 'Id of the record' }) id?: string;
  @JsonField({
    optional: true,
    description: 'Why it failed: `{code, status, detail, errors?}`, the same as for the single call',
  })
  error?: object;
}

export class BulkView {
  @ListField(() => BulkResultView, { maxItems: MAX_BULK, description: 'In the order of the request' })
  results: BulkResultView[];
  @IntegerField({ minimum: 0 }) succeeded: number;
  @IntegerField({ minimum: 0 }) failed: number;
}
