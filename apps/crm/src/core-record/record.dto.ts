import { ListQuery, TextField } from '@crm/http';

/** Query parameters of a list of core records. */
export class RecordListQuery extends ListQuery {
  @TextField({ optional: true, maxLength: 200, description: 'Text to search for' })
  q?: string;

  @TextField({ optional: true, maxLength: 60, description: 'Field that `filterValue` is compared with' })
  filterField?: string;

  @TextField({ optional: true, maxLength: 4000, description: 'The value that `filterField` must have' })
  filterValue?: string;

  @TextField({
    optional: true,
    maxLength: 61,
    description: 'Field to sort by; a leading `-` sorts in descending order. `-createdAt` by default',
  })
  sort?: string;
}
