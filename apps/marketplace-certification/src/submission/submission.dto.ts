import { BooleanField, DateTimeField, EnumField, IdField, ListField, ObjectField, TextField } from '@crm/http';
import { DifferenceView } from '../catalogue/difference.dto.js';
import { VERSION_STATUSES } from '../catalogue/version-state.js';
import { CertificationView } from '../certification/certification.dto.js';

export class AcceptedSubmissionView {
  @BooleanField() accepted: boolean;

  @EnumField(VERSION_STATUSES, { description: '`in_review`; for a repeated call the current status' })
  versionStatus: string;

  @ObjectField(() => CertificationView) certification: CertificationView;
  @TextField({ maxLength: 64 }) appKey: string;
  @TextField({ maxLength: 64 }) version: string;
  @IdField() submissionId: string;
}

export class DeveloperVersionView {
  @TextField({ maxLength: 64 }) version: string;
  @EnumField(VERSION_STATUSES) versionStatus: string;
  @DateTimeField() submittedAt: string;
  @IdField() submissionId: string;

  @TextField({ optional: true, maxLength: 2000, description: 'Reason of the latest decision' })
  verdict?: string;
}

export class DeveloperSubmissionView extends DeveloperVersionView {
  @ObjectField(() => CertificationView, { description: 'Result of the certification at submission' })
  certification: CertificationView;

  @ObjectField(() => DifferenceView, {
    nullable: true,
    description: "The differences from the published version; null for an app's first version",
  })
  difference: DifferenceView | null;
}

export class DeveloperAppView {
  @TextField({ maxLength: 64 }) key: string;
  @TextField({ maxLength: 200 }) name: string;
  @TextField({ maxLength: 40 }) kind: string;
  @ListField(() => DeveloperVersionView, { maxItems: 10_000 }) versions: DeveloperVersionView[];
}

export class DeveloperAppsView {
  @ListField(() => DeveloperAppView, { maxItems: 10_000 }) data: DeveloperAppView[];
}
