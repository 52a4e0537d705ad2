import { VERSION_STATUSES, type VersionStatus } from '@crm/contracts';
import { DateTimeField, EnumField, IdField, JsonField, ListField, ObjectField, TextField } from '@crm/http';

export class SubmissionQuery {
  @EnumField(VERSION_STATUSES, { optional: true })
  status?: VersionStatus;
}

export class DecisionInput {
  @TextField({ optional: true, maxLength: 2000, description: 'Shown to the publisher' })
  reason?: string;
}

export class Publisher {
  @IdField()
  tenantId: string;

  @TextField({ maxLength: 200 })
  name: string;
}

/** A version of an app as operators see it. */
export class SubmissionDto {
  @IdField()
  id: string;

  @TextField({ maxLength: 100 })
  appKey: string;

  @TextField({ maxLength: 50 })
  version: string;

  @EnumField(VERSION_STATUSES)
  versionStatus: VersionStatus;

  @ObjectField(() => Publisher)
  publisher: Publisher;

  @DateTimeField()
  submittedAt: string;

  @TextField({ maxLength: 200, nullable: true })
  claimedBy: string | null;

  @TextField({ maxLength: 2000, nullable: true })
  verdict: string | null;

  @JsonField()
  certification: Record<string, unknown>;
}

export class SubmissionList {
  @ListField(() => SubmissionDto)
  data: SubmissionDto[];
}
