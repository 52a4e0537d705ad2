import { IdField, IntegerField, ListField, ObjectField, TextField } from '@crm/http';

export class SearchQuery {
  @TextField({
    maxLength: 200,
    minLength: 1,
    description: 'Text to search for, with three letters or digits at least; a phone number however it is written',
    example: 'lovelace',
  })
  q: string;

  @TextField({
    optional: true,
    maxLength: 2000,
    description: 'Names of objects, separated by commas; all that the caller can read by default',
    example: 'lead,contact',
  })
  objects?: string;

  @IntegerField({ optional: true, minimum: 1, maximum: 50, description: 'Records per page, 20 by default' })
  size?: number;

  @TextField({ optional: true, minLength: 1, maxLength: 1000, description: '`nextCursor` of the previous page' })
  cursor?: string;
}

export class MatchView {
  @TextField({
    maxLength: 40,
    nullable: true,
    description: 'The field that has the text; null where several together have it',
  })
  field: string | null;

  @TextField({ maxLength: 200, description: 'Its value, as far as 200 characters' }) value: string;
}

export class HitView {
  @TextField({ maxLength: 200, example: 'lead' }) object: string;
  @IdField() id: string;
  @TextField({ maxLength: 500, description: 'What names the record; empty where the caller cannot read it' })
  title: string;
  @ObjectField(() => MatchView) matched: MatchView;
}

export class SearchView {
  @ListField(() => HitView, { maxItems: 50, description: 'The newest first' }) data: HitView[];
  @TextField({ maxLength: 1000, nullable: true }) nextCursor: string | null;
}
