import { BooleanField, field, IdField, JsonField, ListField, TextField } from '@crm/http';

const NAME = { maxLength: 100, example: 'My open deals' } as const;
const FILTER = {
  description: 'A group of conditions, the same as `filter` of a list; null for all records',
  example: { and: [{ field: 'ownerId', value: { relative: 'me' } }] },
  nullable: true,
} as const;
const SORT = {
  maxLength: 125,
  nullable: true,
  description: 'The same as `sort` of a list; null for newest first',
  example: '-createdAt',
} as const;
const COLUMNS = { maxItems: 50, unique: true, description: 'API names of the fields to show' } as const;
const SHARED = 'Whether everyone in the workspace sees it. Only admins can share views';
const column = field.text({ maxLength: 40, example: 'name' });

export class SavedViewListQuery {
  @TextField({ maxLength: 200, example: 'lead', description: 'The name of the object' })
  object: string;
}

class SavedViewParts {
  @JsonField({ ...FILTER, optional: true }) filter?: Record<string, unknown> | null;
  @TextField({ ...SORT, optional: true }) sort?: string | null;
  @ListField(column, { ...COLUMNS, optional: true }) columns?: string[];
  @BooleanField({ optional: true, description: SHARED }) shared?: boolean;
}

export class CreateSavedViewInput extends SavedViewParts {
  @TextField({ maxLength: 200, example: 'lead' }) object: string;
  @TextField(NAME) name: string;
}

export class ChangeSavedViewInput extends SavedViewParts {
  @TextField({ ...NAME, optional: true, minLength: 1 }) name?: string;
}

export class SavedViewView {
  @IdField() id: string;
  @TextField({ maxLength: 200, example: 'lead' }) object: string;
  @TextField(NAME) name: string;
  @JsonField(FILTER) filter: Record<string, unknown> | null;
  @TextField(SORT) sort: string | null;
  // One change replaces what its caller sees: what others see comes on top.
  @ListField(column, { ...COLUMNS, maxItems: 500 }) columns: string[];
  @BooleanField({ description: SHARED }) shared: boolean;
  @IdField({ description: 'Who created it' }) ownerId: string;
  @BooleanField({ description: 'Whether the caller can change and delete it' }) writable: boolean;
  @BooleanField({
    description: 'False for an own view that filters or sorts by a deleted or hidden field; both are then null',
  })
  usable: boolean;
}

export class SavedViewListView {
  @ListField(() => SavedViewView, { maxItems: 1000, description: 'Sorted by name' }) data: SavedViewView[];
}
