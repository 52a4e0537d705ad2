import { Entity, PrimaryColumn } from 'typeorm';

/** A code that replaces one of the authenticator, once. Used ones are deleted. */
@Entity({ name: 'recovery_code' })
export class RecoveryCode {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  @PrimaryColumn({ name: 'user_id', type: 'uuid' })
  userId: string;

  /** SHA-256 of the user's id and the code. */
  @PrimaryColumn({ name: 'code_hash', type: 'bytea' })
  codeHash: Buffer;
}
