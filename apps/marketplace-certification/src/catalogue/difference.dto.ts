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
      'Like a JSON pointer, with names in the place of positions. `/hosts/…` and `/events/…` sum up what the whole package calls and listens to.',
    example: '/objects/visit/fields/hours/readRoles',
  })
  path: string;

  @EnumField(DIFFERENCE_KINDS) kind: string;

  @EnumField(ATTENTIONS, {
    description:
      '`access`: the app, those it talks to or some of its users reach more; `loss`: what tenants have may be lost or fail; `behaviour`: the app does something else; `text`: people read something else',
  })
  attention: string;

  @TextField({ optional: true, maxLength: 200, description: 'Why it has this attention' }) note?: string;
  @JsonValueField({ optional: true, description: 'Absent for what was added' }) before?: unknown;
  @JsonValueField({ optional: true, description: 'Absent for what was removed' }) after?: unknown;

  @BooleanField({ optional: true, description: 'True when a value is shown as the beginning of its JSON text' })
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
  @ObjectField(() => EarlierVersionView, { description: 'The highest lower version that was ever published' })
  against: EarlierVersionView;

  @ListField(() => DifferenceEntryView, { maxItems: 100_000, description: 'The most urgent first' })
  entries: DifferenceEntryView[];

  @ObjectField(() => DifferenceCountsView, { description: 'How many there are of each attention, shown or not' })
  counts: DifferenceCountsView;

  @BooleanField({ description: 'False when entries were left out because there are very many' }) complete: boolean;
}
