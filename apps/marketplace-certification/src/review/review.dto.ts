import {
  BooleanField,
  DateTimeField,
  EnumField,
  IdField,
  IntegerField,
  JsonField,
  ListField,
  ListQuery,
  ObjectField,
  TextField,
} from '@crm/http';
import { DifferenceView } from '../catalogue/difference.dto.js';
import { VERSION_STATUSES, type VersionStatus } from '../catalogue/version-state.js';

/**
 * Orders of the review queue. `fair`: the oldest submission of every publisher, then the second oldest, and so on; those of
 * a turn by age.
 */
const QUEUE_SORTS = ['fair', 'submittedAt', '-submittedAt'] as const;

const QUEUE_CLAIMS = ['mine', 'others', 'none'] as const;

export class ListSubmissionsQuery extends ListQuery {
  @EnumField(VERSION_STATUSES, { optional: true }) status?: VersionStatus;
  @TextField({ optional: true, minLength: 1, maxLength: 100 }) appKey?: string;
  @IdField({ optional: true, description: 'The workspace that publishes' }) publisherId?: string;
  @DateTimeField({ optional: true, description: 'Submitted before this time' }) submittedBefore?: string;
  @DateTimeField({ optional: true, description: 'Submitted at or after this time' }) submittedSince?: string;

  @TextField({
    optional: true,
    maxLength: 200,
    description: "Text in the app's key or name, or in its publisher's name",
  })
  q?: string;

  @EnumField(QUEUE_CLAIMS, {
    optional: true,
    description: 'Who has claimed it: you, another operator, or no one',
  })
  claim?: (typeof QUEUE_CLAIMS)[number];

  @EnumField(QUEUE_SORTS, {
    optional: true,
    description:
      '`fair`: the oldest submission of each publisher, then the second oldest of each, and so on; the default for `in_review` and `approved`. Otherwise `-submittedAt`, newest first',
  })
  sort?: (typeof QUEUE_SORTS)[number];
}

export class DecisionInput {
  @TextField({ optional: true, maxLength: 2000, description: 'Shown to the publisher' }) reason?: string;
}

export class PublisherView {
  @IdField() tenantId: string;
  @TextField({ maxLength: 200 }) name: string;
}

export class SubmissionView {
  @IdField() id: string;
  @TextField({ maxLength: 100 }) appKey: string;
  @TextField({ maxLength: 50 }) version: string;
  @EnumField(VERSION_STATUSES) versionStatus: VersionStatus;
  @ObjectField(() => PublisherView) publisher: PublisherView;
  @DateTimeField() submittedAt: string;

  @TextField({
    maxLength: 200,
    nullable: true,
    description: 'The operator who reviews or reviewed it; null while it is in review and unclaimed',
  })
  claimedBy: string | null;

  @DateTimeField({ optional: true, nullable: true, description: 'When the claim lapses' }) claimedUntil?: string | null;
  @TextField({ maxLength: 2000, nullable: true }) verdict: string | null;
  @JsonField() certification: object;
}

export class SubmissionStepView {
  @DateTimeField() at: string;
  @EnumField(['developer', 'operator', 'system']) actorKind: string;
  @TextField({ maxLength: 200 }) actorId: string;
  @TextField({ maxLength: 50, example: 'submit' }) action: string;
  @TextField({ maxLength: 50, example: 'draft' }) from: string;
  @TextField({ maxLength: 50, example: 'in_review' }) to: string;
  @TextField({ maxLength: 2000, nullable: true }) reason: string | null;
}

export class SubmissionDetailView extends SubmissionView {
  @TextField({ maxLength: 200 }) name: string;
  @TextField({ maxLength: 40 }) kind: string;

  @TextField({ maxLength: 64, description: 'Hash that identifies the version, in hexadecimal' })
  manifestSha256: string;

  @BooleanField({
    optional: true,
    description: "An operator has unlisted the app; publishing a version doesn't list it",
  })
  unlistedByOperator?: boolean;

  @JsonField({ description: 'The package as it was submitted' }) manifest: object;
  @JsonField({ description: 'What the developer sent for the review' }) reviewPacket: object;

  @ObjectField(() => DifferenceView, {
    nullable: true,
    description: "The differences from the published version; null for an app's first version",
  })
  difference: DifferenceView | null;

  @ListField(() => SubmissionStepView, { maxItems: 100, description: 'Its history, oldest first' })
  history: SubmissionStepView[];
}

export class AppDecisionInput {
  @TextField({ maxLength: 2000, pattern: /\S/, description: 'Shown to the publisher', example: 'It loses data.' })
  reason: string;
}

export class ImpactView {
  @IntegerField({ minimum: 0, description: 'Live installations, including those in progress or being undone' })
  installations: number;

  @IntegerField({ minimum: 0, description: 'Workspaces that have it installed' }) tenants: number;
  @IntegerField({ minimum: 0, description: "The publisher's sandbox installations" }) sandboxes: number;
}

export class AppView {
  @TextField({ maxLength: 100 }) key: string;
  @TextField({ maxLength: 200 }) name: string;
  @ObjectField(() => PublisherView) publisher: PublisherView;
  @TextField({ maxLength: 20, example: 'public' }) visibility: string;

  @BooleanField({ optional: true, description: 'It stays unlisted even if a version says `public`' })
  unlistedByOperator?: boolean;

  @TextField({ maxLength: 64, nullable: true, description: 'Null if no version can be installed' })
  publishedVersion: string | null;

  @TextField({ maxLength: 64, nullable: true }) suspendedVersion: string | null;
  @BooleanField({ optional: true, description: 'Whether the app is revoked for good' }) revoked?: boolean;
  @ObjectField(() => ImpactView) impact: ImpactView;
}
