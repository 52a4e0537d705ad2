import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A sign-in that has not ended. Ended sessions are deleted. */
@Entity({ name: 'session' })
export class Session {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  /** The `sid` of its tokens. */
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  /** The user, or the operator in the platform's tenant. */
  @Column({ name: 'user_id', type: 'uuid' })
  userId: string;

  /** Where the sign-in came from. */
  @Column({ type: 'text', nullable: true })
  address: string | null;

  @Column({ name: 'user_agent', type: 'text', nullable: true })
  userAgent: string | null;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  @Column({ name: 'last_used_at', type: 'timestamptz' })
  lastUsedAt: Date;

  /** Where the session was used last; null until it is refreshed. */
  @Column({ name: 'last_address', type: 'text', nullable: true })
  lastAddress: string | null;

  /** When it ends unless it is refreshed before; never after {@link endsAt}. */
  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;

  /** When it ends however often it is refreshed. */
  @Column({ name: 'ends_at', type: 'timestamptz' })
  endsAt: Date;

  /** When the password or the second factor was proven last; null for a session from before this was recorded. */
  @Column({ name: 'proven_at', type: 'timestamptz', nullable: true })
  provenAt: Date | null;
}
