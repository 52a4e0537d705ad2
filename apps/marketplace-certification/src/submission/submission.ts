import type { VersionStatus } from '@crm/contracts';

/** A package in its JSON form; the certification suite judges it. */
export type JsonObject = Record<string, unknown>;

/** A submitted version, without its package. */
export interface Submission {
  readonly id: string;
  readonly appKey: string;
  /** The publisher's workspace. */
  readonly tenantId: string;
  readonly version: string;
  readonly name: string;
  readonly kind: string;
  readonly status: VersionStatus;
  readonly submittedAt: Date;
  readonly claimedBy: string | null;
  /** What the last decision said. */
  readonly verdict: string | null;
}

export interface ReviewedSubmission extends Submission {
  readonly publisherName: string;
  readonly certification: JsonObject;
}

/** Who does something to a version, for the trail. */
export interface AuditEntry {
  readonly submissionId: string;
  readonly actorKind: 'developer' | 'operator' | 'system';
  readonly actorId: string;
  readonly action: string;
  readonly from: VersionStatus;
  readonly to: VersionStatus;
  readonly reason?: string;
}
