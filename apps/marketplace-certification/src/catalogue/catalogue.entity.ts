import { bigintAsNumber } from '@crm/database';
import type { Certification } from '@crm/manifest';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Actor, VersionStatus } from './version-state.js';

/** An app and what the marketplace shows of it, copied from the package when a version is published. */
@Entity({ name: 'app' })
export class App {
  @PrimaryColumn({ type: 'text' }) key: string;

  /** The publisher. */
  @Column({ name: 'tenant_id', type: 'uuid' }) tenantId: string;
  @Column({ name: 'publisher_name', type: 'text' }) publisherName: string;
  @Column({ type: 'text' }) name: string;
  @Column({ type: 'text' }) kind: string;
  @Column({ type: 'text', nullable: true }) summary: string | null;

  /** `public`, `unlisted` or `private`. */
  @Column({ type: 'text' }) visibility: string;

  /** True when it stays unlisted where a version says `public`. */
  @Column({ name: 'unlisted_by_operator', type: 'boolean' }) unlistedByOperator: boolean;

  /** Lower-case text that the search of the marketplace looks in. */
  @Column({ name: 'search_text', type: 'text' }) searchText: string;
  @Column({ name: 'published_version_id', type: 'uuid', nullable: true }) publishedVersionId: string | null;

  /** Null until a version is published: before that, only the publisher knows the app. */
  @Column({ name: 'first_published_at', type: 'timestamptz', nullable: true }) firstPublishedAt: Date | null;
  @Column({ name: 'rating_count', type: 'integer' }) ratingCount: number;
  @Column({ name: 'rating_total', type: 'bigint', transformer: bigintAsNumber }) ratingTotal: number;
}

/** A submitted version of an app. Its package never changes; finds do not select what is long. */
@Entity({ name: 'app_version' })
export class Version {
  @PrimaryColumn({ type: 'uuid' }) id: string;
  @Column({ name: 'app_key', type: 'text' }) appKey: string;

  /** The publisher. */
  @Column({ name: 'tenant_id', type: 'uuid' }) tenantId: string;
  @Column({ type: 'text' }) version: string;
  @Column({ type: 'text' }) name: string;
  @Column({ type: 'text' }) kind: string;
  @Column({ type: 'json', select: false }) manifest: object;
  @Column({ name: 'manifest_sha256', type: 'text' }) manifestSha256: string;
  @Column({ name: 'review_packet', type: 'json', select: false }) reviewPacket: object;
  @Column({ type: 'json', select: false }) certification: Certification;
  @Column({ type: 'text' }) status: VersionStatus;
  @Column({ name: 'submitted_by', type: 'uuid' }) submittedBy: string;
  @Column({ name: 'submitted_at', type: 'timestamptz' }) submittedAt: Date;
  @Column({ name: 'claimed_by', type: 'text', nullable: true }) claimedBy: string | null;

  /** Until when the claim counts; null when there is none. */
  @Column({ name: 'claimed_until', type: 'timestamptz', nullable: true }) claimedUntil: Date | null;
  @Column({ type: 'text', nullable: true }) verdict: string | null;
  @Column({ name: 'published_at', type: 'timestamptz', nullable: true }) publishedAt: Date | null;
}

export type Submission = Omit<Version, 'manifest' | 'reviewPacket' | 'certification'>;

/** Who moved a version from one status to another, and why. */
@Entity({ name: 'submission_audit' })
export class SubmissionAudit {
  @PrimaryColumn({ type: 'uuid' }) id: string;
  @Column({ name: 'submission_id', type: 'uuid' }) submissionId: string;
  @Column({ name: 'actor_kind', type: 'text' }) actorKind: Actor;
  @Column({ name: 'actor_id', type: 'text' }) actorId: string;
  @Column({ type: 'text' }) action: string;
  @Column({ name: 'from_status', type: 'text' }) from: VersionStatus;
  @Column({ name: 'to_status', type: 'text' }) to: VersionStatus;
  @Column({ type: 'text', nullable: true }) reason: string | null;
}
