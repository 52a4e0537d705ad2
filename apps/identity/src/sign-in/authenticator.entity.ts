import { bigintAsNumber } from '@crm/database';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The authenticator app of a user, or of an operator in the platform's tenant. */
@Entity({ name: 'authenticator' })
export class Authenticator {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  @PrimaryColumn({ name: 'user_id', type: 'uuid' })
  userId: string;

  /** The shared secret in base32, sealed. */
  @Column({ name: 'sealed_secret', type: 'bytea' })
  sealedSecret: Buffer;

  /** When a code confirmed it; null for an enrolment that is not finished and counts for nothing. */
  @Column({ name: 'confirmed_at', type: 'timestamptz', nullable: true })
  confirmedAt: Date | null;

  /** The time step of the code that was used last: it and those before are not accepted again. */
  @Column({ name: 'last_step', type: 'bigint', nullable: true, transformer: bigintAsNumber })
  lastStep: number | null;
}
