import { NOTICE_SEVERITIES } from '@crm/contracts';
import { EnumField, IntegerField, ListField, ObjectField, TextField } from '@crm/http';

export const USAGE_NOTICE_CODES = ['NEARLY_FULL', 'LIMIT_REACHED'] as const;

/** How much of a limit is used. */
export class UsedView {
  @IntegerField({ minimum: 0, example: 12_400 }) used: number;
  @IntegerField({ minimum: 0, example: 50_000 }) limit: number;
}

/** From 80 % of a limit on. */
export class UsageNoticeView {
  @EnumField(USAGE_NOTICE_CODES) code: string;
  @EnumField(NOTICE_SEVERITIES) severity: string;
  @TextField({ maxLength: 200, example: 'Records: 41000 of 50000' }) detail: string;
}

export class WorkspaceUsage {
  @ObjectField(() => UsedView, { description: 'Those in the bin included' }) records: UsedView;
  @ObjectField(() => UsedView, { description: 'Of the values of records and of notes' }) bytes: UsedView;
  @ObjectField(() => UsedView, { description: 'Without those whom hosts embed' }) users: UsedView;
  @ObjectField(() => UsedView, { description: 'Without those of sandboxes' }) customObjects: UsedView;
  @ListField(() => UsageNoticeView, { description: 'What is at its limit, or nearly' })
  notices: readonly UsageNoticeView[];
}
