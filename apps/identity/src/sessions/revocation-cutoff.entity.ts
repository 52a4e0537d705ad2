import type { Revocation } from '@crm/contracts';
import { bigintAsNumber } from '@crm/database';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A cut-off that every verifier of tokens learns. */
@Entity({ name: 'revocation_cutoff' })
export class RevocationCutoff {
  @PrimaryColumn({ type: 'text' })
  kind: Revocation['kind'];

  @PrimaryColumn({ type: 'text' })
  id: string;

  /** Tokens issued before this moment are not accepted; milliseconds since 1970. */
  @Column({ name: 'cutoff_ms', type: 'bigint', transformer: bigintAsNumber })
  cutoffMs: number;

  /** When it does not matter any more, because no older token is alive. */
  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;

  @Column({ type: 'boolean' })
  published: boolean;
}
