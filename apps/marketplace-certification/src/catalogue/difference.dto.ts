import {
  BooleanField,
  EnumField,
  IdField,
  IntegerField,
  JsonValueField,
  ListField,
  ObjectField,
  TextField,
} from '@crm/http';
import { ATTENTIONS, DIFFERENCE_KINDS } from '@crm/manifest';
import { VERSION_STATUSES } from './version-state.js';

export class DifferenceEntryView {
  @TextField({
    maxLength: 10_000,
    description:
      'Like a JSON pointer, with names instead of positions. `/hosts/…` and `/events/…` summarize what the whole package calls and listens to.',
    example: '/objects/visit/fields/hours/readRoles',
  })
  path: string;

  @EnumField(DIFFERENCE_KINDS) kind: string;

  @EnumField(ATTENTIONS, {
    description:
      '`access`: the app, its partners, or some users can access more; `loss`: data may be lost or calls may fail; `behaviour`: the app does something else; `text`: people read something else',
  })
  attention: string;

  @TextField({ optional: true, maxLength: 200, description: 'The reason for this attention' }) note?: string;
  @JsonValueField({ optional: true, description: 'Absent for additions' }) before?: unknown;
  @JsonValueField({ optional: true, description: 'Absent for removals' }) after?: unknown;

  @BooleanField({ optional: true, description: 'True if a value is truncated' })
  shortened?: boolean;
}

export class DifferenceCountsView {
  @IntegerField({ minimum: 0 }) access: number;
  @IntegerField({ minimum: 0 }) loss: number;
  @IntegerField({ minimum: 0 }) behaviour: number;
  @IntegerField({ minimum: 0 }) text: number;
}

export class EarlierVersionView {
  @IdField() submissionId: string;
  @TextField({ maxLength: 64 }) version: string;
  @EnumField(VERSION_STATUSES) versionStatus: string;
}

export class DifferenceView {
  @ObjectField(() => EarlierVersionView, { description: 'The highest lower version that was published' })
  against: EarlierVersionView;

  @ListField(() => DifferenceEntryView, { maxItems: 100_000, description: 'Most urgent first' })
  entries: DifferenceEntryView[];

  @ObjectField(() => DifferenceCountsView, {
    description: 'Number of changes for each attention, including those not shown',
  })
  counts: DifferenceCountsView;

  @BooleanField({ description: 'False if entries were left out because there are too many' }) complete: boolean;
}
