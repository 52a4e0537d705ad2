import { BooleanField, IntegerField, ObjectField, TextField } from '@crm/http';
import { PublisherView } from '../review/review.dto.js';

export class AppDecisionInput {
  @TextField({ maxLength: 2000, pattern: /\S/, description: 'Shown to the publisher', example: 'It loses data.' })
  reason: string;
}

/** How much depends on an app. */
export class ImpactView {
  @IntegerField({ minimum: 0, description: 'Live installations, those that are being made or undone included' })
  installations: number;

  @IntegerField({ minimum: 0, description: 'Workspaces that have one' })
  tenants: number;

  @IntegerField({ minimum: 0, description: 'Trial installations of the publisher' })
  sandboxes: number;
}

/** An app as operators decide on it. */
export class AppView {
  @TextField({ maxLength: 100 })
  key: string;

  @TextField({ maxLength: 200 })
  name: string;

  @ObjectField(() => PublisherView)
  publisher: PublisherView;

  @TextField({ maxLength: 20, example: 'public' })
  visibility: string;

  @BooleanField({ optional: true, description: 'It stays unlisted where a version says `public`' })
  unlistedByOperator?: boolean;

  @TextField({ maxLength: 64, nullable: true, description: 'Null while no version can be installed' })
  publishedVersion: string | null;

  @TextField({ maxLength: 64, nullable: true })
  suspendedVersion: string | null;

  @BooleanField({ optional: true, description: 'For good: nothing of it is published again' })
  revoked?: boolean;

  @ObjectField(() => ImpactView)
  impact: ImpactView;
}
