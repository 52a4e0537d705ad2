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
  @ObjectField(() => UsedView, { description: 'Including those in the bin' }) records: UsedView;
  @ObjectField(() => UsedView, { description: 'Bytes of the values of records and notes' }) bytes: UsedView;
  @ObjectField(() => UsedView, { description: 'Without host users' }) users: UsedView;
  @ObjectField(() => UsedView, { description: 'Without sandboxes' }) customObjects: UsedView;
  @ListField(() => UsageNoticeView, { description: 'Limits that are reached or nearly reached' })
  notices: readonly UsageNoticeView[];
}
