import type { JWK } from 'jose';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The tenants' tokens (api and internal) and the operators' tokens are signed with keys of their own. */
export type IssuerGroup = 'api' | 'admin';

@Entity({ name: 'signing_key' })
export class SigningKey {
  @PrimaryColumn({ type: 'text' })
  kid: string;

  @Column({ name: 'issuer_group', type: 'text' })
  group: IssuerGroup;

  @Column({ name: 'public_jwk', type: 'jsonb' })
  publicJwk: JWK;

  @Column({ name: 'sealed_private_jwk', type: 'bytea' })
  sealedPrivateJwk: Buffer;

  /** Published from its creation, used from here on. */
  @Column({ name: 'signs_from', type: 'timestamptz' })
  signsFrom: Date;

  /** Not published any more from here on; null while no successor is known. */
  @Column({ name: 'retires_at', type: 'timestamptz', nullable: true })
  retiresAt: Date | null;
}
