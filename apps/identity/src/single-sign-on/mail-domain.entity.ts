import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A domain of e-mail addresses that a workspace wants to prove or has proven. Any number of workspaces can want the same. */
@Entity({ name: 'mail_domain' })
export class MailDomain {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  /** ASCII, lower case. */
  @PrimaryColumn({ type: 'text' })
  domain: string;

  /** What its TXT record says. */
  @Column({ type: 'text' })
  token: string;

  /** Null until it is proven, and again after it was lost. */
  @Column({ name: 'verified_at', type: 'timestamptz', nullable: true })
  verifiedAt: Date | null;

  /** Since when a daily check has not found the record; null while it is there. */
  @Column({ name: 'missing_since', type: 'timestamptz', nullable: true })
  missingSince: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
