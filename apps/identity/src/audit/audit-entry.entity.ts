import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { AuditAction, AuditActorKind, AuditOutcome, AuditSubjectKind } from './audit-actions.js';

/** Further facts of an act: bounded, and never a secret, a code, an address or a name of a person. */
export type AuditDetail = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** One act of authentication or administration. Entries are added, and removed when their retention is over. */
@Entity({ name: 'audit_entry' })
export class AuditEntry {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' }) tenantId: string;

  /** A UUIDv7 of the time of the act. */
  @PrimaryColumn({ type: 'uuid' }) id: string;

  /** The time in the id. */
  @Column({ type: 'timestamptz' }) at: Date;
  @Column({ type: 'text' }) action: AuditAction;
  @Column({ type: 'text' }) outcome: AuditOutcome;
  @Column({ name: 'actor_kind', type: 'text' }) actorKind: AuditActorKind;

  /** Id of the user, service account or operator, key of the app; null for the platform itself and for anyone who is not known. */
  @Column({ name: 'actor_id', type: 'text', nullable: true }) actorId: string | null;
  @Column({ name: 'subject_kind', type: 'text', nullable: true }) subjectKind: AuditSubjectKind | null;
  @Column({ name: 'subject_id', type: 'text', nullable: true }) subjectId: string | null;

  /** Where the call came from; null when that is not known, and when the user was erased. */
  @Column({ type: 'text', nullable: true }) address: string | null;

  /** The program and system in words, never the whole user agent. */
  @Column({ type: 'text', nullable: true }) device: string | null;
  @Column({ name: 'request_id', type: 'text', nullable: true }) requestId: string | null;
  @Column({ type: 'jsonb' }) detail: AuditDetail;
}
