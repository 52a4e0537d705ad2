import type { Certification } from '@crm/manifest';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { VersionStatus } from './version-state.js';

/** A submitted version of an app. Its package never changes. */
@Entity({ name: 'app_version' })
export class Version {
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ name: 'app_key', type: 'text' })
  appKey: string;

  /** The publisher. */
  @Column({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  @Column({ type: 'text' })
  version: string;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'text' })
  kind: string;

  /** As it was submitted. */
  @Column({ type: 'json' })
  manifest: object;

  @Column({ name: 'manifest_sha256', type: 'text' })
  manifestSha256: string;

  @Column({ name: 'review_packet', type: 'json' })
  reviewPacket: object;

  /** What the suite said when the version was submitted. */
  @Column({ type: 'json' })
  certification: Certification;

  @Column({ type: 'text' })
  status: VersionStatus;

  @Column({ name: 'submitted_by', type: 'uuid' })
  submittedBy: string;

  @Column({ name: 'submitted_at', type: 'timestamptz' })
  submittedAt: Date;

  /** The operator who reviews it. */
  @Column({ name: 'claimed_by', type: 'text', nullable: true })
  claimedBy: string | null;

  /** Until when the claim counts; null when there is none. */
  @Column({ name: 'claimed_until', type: 'timestamptz', nullable: true })
  claimedUntil: Date | null;

  /** What the latest decision said. */
  @Column({ type: 'text', nullable: true })
  verdict: string | null;

  @Column({ name: 'published_at', type: 'timestamptz', nullable: true })
  publishedAt: Date | null;
}

/** A submitted version without its package and its certification. */
export type Submission = Omit<
  Version,
  'manifest' | 'manifestSha256' | 'reviewPacket' | 'certification' | 'submittedBy' | 'publishedAt' | 'claimedUntil'
>;
