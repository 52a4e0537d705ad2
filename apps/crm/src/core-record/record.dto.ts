import { ListQuery, TextField } from '@crm/http';

/** Query parameters of a list of core records. */
export class RecordListQuery extends ListQuery {
  @TextField({ optional: true, maxLength: 200, description: 'Text to look for' })
  q?: string;

  @TextField({ optional: true, maxLength: 60, description: 'Field whose value must equal filterValue' })
  filterField?: string;

  @TextField({ optional: true, maxLength: 4000, description: 'Value of filterField' })
  filterValue?: string;

  @TextField({
    optional: true,
    maxLength: 61,
    description: 'Field to sort by, with "-" before it from high to low; "-createdAt" by default',
  })
  sort?: string;
}
