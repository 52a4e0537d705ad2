import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { VersionStatus } from './version-state.js';

/** Who moved a version from one status to another, and why. */
@Entity({ name: 'submission_audit' })
export class SubmissionAudit {
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ name: 'submission_id', type: 'uuid' })
  submissionId: string;

  @Column({ name: 'actor_kind', type: 'text' })
  actorKind: 'developer' | 'operator' | 'system';

  @Column({ name: 'actor_id', type: 'text' })
  actorId: string;

  @Column({ type: 'text' })
  action: string;

  @Column({ name: 'from_status', type: 'text' })
  from: VersionStatus;

  @Column({ name: 'to_status', type: 'text' })
  to: VersionStatus;

  @Column({ type: 'text', nullable: true })
  reason: string | null;
}
