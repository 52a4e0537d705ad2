import { IntegerField, ObjectField } from '@crm/http';

/** How much of a limit is used. */
export class UsedView {
  @IntegerField({ minimum: 0, example: 12_400 }) used: number;
  @IntegerField({ minimum: 0, example: 50_000 }) limit: number;
}

export class WorkspaceUsage {
  @ObjectField(() => UsedView, { description: 'Those in the bin included' }) records: UsedView;
  @ObjectField(() => UsedView, { description: 'Of the values of records and of notes' }) bytes: UsedView;
  @ObjectField(() => UsedView, { description: 'Without those whom hosts embed' }) users: UsedView;
  @ObjectField(() => UsedView, { description: 'Without those of sandboxes' }) customObjects: UsedView;
}
