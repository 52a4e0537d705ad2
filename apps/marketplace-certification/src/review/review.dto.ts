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
  @DateTimeField({ optional: true, description: 'Submitted at this time or later' }) submittedSince?: string;

  @TextField({
    optional: true,
    maxLength: 200,
    description: 'Occurs in the key or the name of the app, or in the name of its publisher',
  })
  q?: string;

  @EnumField(QUEUE_CLAIMS, {
    optional: true,
    description: 'Whose claim counts: yours, that of another operator, nobody’s',
  })
  claim?: (typeof QUEUE_CLAIMS)[number];

  @EnumField(QUEUE_SORTS, {
    optional: true,
    description:
      '`fair`: the oldest submission of every publisher, then the second oldest of every publisher, and so on; the default for `in_review` and `approved`. Otherwise `-submittedAt`, newest first',
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
    description: 'The operator who reviews it, or has; null while it is in review and nobody’s claim counts',
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

  @TextField({ maxLength: 64, description: 'What the version is known by; in hexadecimal digits' })
  manifestSha256: string;

  @BooleanField({
    optional: true,
    description: 'An operator has unlisted the app: publishing a version does not list it',
  })
  unlistedByOperator?: boolean;

  @JsonField({ description: 'The package as it was submitted' }) manifest: object;
  @JsonField({ description: 'What the developer sent along for the review' }) reviewPacket: object;

  @ObjectField(() => DifferenceView, {
    nullable: true,
    description: 'What it changes against the version that tenants have; null for the first version of an app',
  })
  difference: DifferenceView | null;

  @ListField(() => SubmissionStepView, { maxItems: 100, description: 'What happened to it, oldest first' })
  history: SubmissionStepView[];
}

export class AppDecisionInput {
  @TextField({ maxLength: 2000, pattern: /\S/, description: 'Shown to the publisher', example: 'It loses data.' })
  reason: string;
}

export class ImpactView {
  @IntegerField({ minimum: 0, description: 'Live installations, those that are being made or undone included' })
  installations: number;

  @IntegerField({ minimum: 0, description: 'Workspaces that have one' }) tenants: number;
  @IntegerField({ minimum: 0, description: 'Trial installations of the publisher' }) sandboxes: number;
}

export class AppView {
  @TextField({ maxLength: 100 }) key: string;
  @TextField({ maxLength: 200 }) name: string;
  @ObjectField(() => PublisherView) publisher: PublisherView;
  @TextField({ maxLength: 20, example: 'public' }) visibility: string;

  @BooleanField({ optional: true, description: 'It stays unlisted where a version says `public`' })
  unlistedByOperator?: boolean;

  @TextField({ maxLength: 64, nullable: true, description: 'Null while no version can be installed' })
  publishedVersion: string | null;

  @TextField({ maxLength: 64, nullable: true }) suspendedVersion: string | null;
  @BooleanField({ optional: true, description: 'For good: nothing of it is published again' }) revoked?: boolean;
  @ObjectField(() => ImpactView) impact: ImpactView;
}
