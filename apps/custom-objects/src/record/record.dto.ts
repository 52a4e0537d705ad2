import { DateTimeField, IdField, IntegerField, ListQuery, TextField } from '@crm/http';

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

/** What every record has; its fields stand beside these, by their API names. */
export class RecordHeadView {
  @IdField()
  id: string;

  @IntegerField({ minimum: 1, description: 'Increases with every change; part of the ETag' })
  version: number;

  @DateTimeField()
  createdAt: string;

  @DateTimeField()
  updatedAt: string;
}
