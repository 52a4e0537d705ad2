import { DateTimeField, IdField, IntegerField, ListQuery, TextField } from '@crm/http';

/** Query parameters of a list of records. */
export class RecordListQuery extends ListQuery {
  @TextField({
    optional: true,
    maxLength: 200,
    description: 'Text that a record contains, in fields everybody may read',
  })
  q?: string;

  @TextField({ optional: true, maxLength: 40, description: 'Api-name of a field the caller may read' })
  filterField?: string;

  @TextField({ optional: true, maxLength: 4000, description: 'The value that field has' })
  filterValue?: string;
}

/** What every record carries; its fields stand beside these, by their api-names. */
export class RecordHead {
  @IdField()
  id: string;

  @IntegerField({ minimum: 1, description: 'Grows with every change; also the ETag' })
  version: number;

  @DateTimeField()
  createdAt: string;

  @DateTimeField()
  updatedAt: string;
}
