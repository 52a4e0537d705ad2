import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A mail that waits to be sent. Its row is deleted once the mail server has taken it: bodies carry one-time secrets. */
@Entity({ name: 'mail' })
export class Mail {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ type: 'text' })
  recipient: string;

  @Column({ type: 'text' })
  subject: string;

  /** Plain text. */
  @Column({ type: 'text' })
  body: string;
}
