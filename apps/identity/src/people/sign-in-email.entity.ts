import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Which user signs in with an address. An address has one user on the whole platform. */
@Entity({ name: 'sign_in_email' })
export class SignInEmail {
  /** Normalised (see email-address.ts). */
  @PrimaryColumn({ type: 'text' })
  email: string;

  @Column({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  @Column({ name: 'user_id', type: 'uuid' })
  userId: string;

  /** Of an address that the user has changed: it signs nobody in and is nobody else's until then. Otherwise null. */
  @Column({ name: 'reserved_until', type: 'timestamptz', nullable: true })
  reservedUntil: Date | null;
}
