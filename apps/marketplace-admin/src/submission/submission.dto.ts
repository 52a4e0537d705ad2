import { VERSION_STATUSES, type VersionStatus } from '@crm/contracts';
import { DateTimeField, EnumField, IdField, JsonField, ListField, ObjectField, TextField } from '@crm/http';

export class ListSubmissionsQuery {
  @EnumField(VERSION_STATUSES, { optional: true })
  status?: VersionStatus;
}

export class DecisionInput {
  @TextField({ optional: true, maxLength: 2000, description: 'Shown to the publisher' })
  reason?: string;
}

export class PublisherView {
  @IdField()
  tenantId: string;

  @TextField({ maxLength: 200 })
  name: string;
}

/** A version of an app as operators see it. */
export class SubmissionView {
  @IdField()
  id: string;

  @TextField({ maxLength: 100 })
  appKey: string;

  @TextField({ maxLength: 50 })
  version: string;

  @EnumField(VERSION_STATUSES)
  versionStatus: VersionStatus;

  @ObjectField(() => PublisherView)
  publisher: PublisherView;

  @DateTimeField()
  submittedAt: string;

  @TextField({ maxLength: 200, nullable: true })
  claimedBy: string | null;

  @TextField({ maxLength: 2000, nullable: true })
  verdict: string | null;

  @JsonField()
  certification: Record<string, unknown>;
}

export class SubmissionListView {
  @ListField(() => SubmissionView)
  data: SubmissionView[];
}
