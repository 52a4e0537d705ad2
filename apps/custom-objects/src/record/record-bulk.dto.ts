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
      'As the single call takes them. A record that is changed or deleted has `id`, and `version` where another version must not be changed',
    example: [{ lastName: 'Lovelace' }],
  })
  records: Record<string, unknown>[];

  @TextField({
    optional: true,
    maxLength: 40,
    description:
      'Of an upsert: a unique field, by whose value the record is found that is changed; there is a new one otherwise',
  })
  matchField?: string;

  @BooleanField({
    optional: true,
    description: 'Whether nothing is written when a record is refused: then the answer is 422',
  })
  atomic?: boolean;
}

export class BulkResultView {
  @IntegerField({ minimum: 0, description: 'Place of the record in the request, from 0' }) index: number;
  @EnumField(['created', 'updated', 'deleted', 'failed']) status: string;
  @TextField({ optional: true, maxLength: 36, description: 'Id of the record' }) id?: string;
  @JsonField({
    optional: true,
    description: 'Why it failed: `{code, status, detail, errors?}`, as the single call says it',
  })
  error?: object;
}

export class BulkView {
  @ListField(() => BulkResultView, { maxItems: MAX_BULK, description: 'In the order of the request' })
  results: BulkResultView[];
  @IntegerField({ minimum: 0 }) succeeded: number;
  @IntegerField({ minimum: 0 }) failed: number;
}
