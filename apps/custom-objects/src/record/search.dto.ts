import { IdField, IntegerField, ListField, ObjectField, TextField } from '@crm/http';

export class SearchQuery {
  @TextField({
    maxLength: 200,
    minLength: 1,
    description: 'Text to search for, with at least 3 letters or digits; phone numbers in any format',
    example: 'lovelace',
  })
  q: string;

  @TextField({
    optional: true,
    maxLength: 2000,
    description: 'Object names, separated by commas; by default all that the caller can read',
    example: 'lead,contact',
  })
  objects?: string;

  @IntegerField({ optional: true, minimum: 1, maximum: 50, description: 'Records per page; 20 by default' })
  size?: number;

  @TextField({ optional: true, minLength: 1, maxLength: 1000, description: '`nextCursor` of the previous page' })
  cursor?: string;
}

export class MatchView {
  @TextField({
    maxLength: 40,
    nullable: true,
    description: 'The field that contains the text; null if several fields together contain it',
  })
  field: string | null;

  @TextField({ maxLength: 200, description: 'The first 200 characters of its value' }) value: string;
}

export class HitView {
  @TextField({ maxLength: 200, example: 'lead' }) object: string;
  @IdField() id: string;
  @TextField({ maxLength: 500, description: "The record's name; empty if the caller can't read it" })
  title: string;
  @ObjectField(() => MatchView) matched: MatchView;
}

export class SearchView {
  @ListField(() => HitView, { maxItems: 50, description: 'Newest first' }) data: HitView[];
  @TextField({ maxLength: 1000, nullable: true }) nextCursor: string | null;
}
