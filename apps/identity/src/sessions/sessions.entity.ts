import type { Revocation } from '@crm/contracts';
import { bigintAsNumber } from '@crm/database';
import type { JWK } from 'jose';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { IdentifiedRow, TenantRow } from '../tenant-row.js';

/** A cut-off as the transaction of the change that causes it records it, until it is collected and published. */
@Entity({ name: 'pending_cutoff' })
export class PendingCutoff extends TenantRow {
  @PrimaryColumn({ type: 'text' }) kind: Revocation['kind'];
  @PrimaryColumn({ type: 'text' }) id: string;
  @Column({ name: 'cutoff_ms', type: 'bigint', transformer: bigintAsNumber }) cutoffMs: number;
}

@Entity({ name: 'revocation_cutoff' })
export class RevocationCutoff {
  @PrimaryColumn({ type: 'text' }) kind: Revocation['kind'];
  @PrimaryColumn({ type: 'text' }) id: string;

  /** Tokens issued before this moment are not accepted; milliseconds since 1970. */
  @Column({ name: 'cutoff_ms', type: 'bigint', transformer: bigintAsNumber }) cutoffMs: number;

  /** When it does not matter any more, because no older token is alive. */
  @Column({ name: 'expires_at', type: 'timestamptz' }) expiresAt: Date;
  @Column({ type: 'boolean' }) published: boolean;
}

/** A sign-in that has not ended; its id is the `sid` of its tokens. Ended sessions are deleted. */
@Entity({ name: 'session' })
export class Session extends IdentifiedRow {
  /** The user, or the operator in the platform's tenant. */
  @Column({ name: 'user_id', type: 'uuid' }) userId: string;
  @Column({ type: 'text', nullable: true }) address: string | null;
  @Column({ name: 'user_agent', type: 'text', nullable: true }) userAgent: string | null;
  @Column({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
  @Column({ name: 'last_used_at', type: 'timestamptz' }) lastUsedAt: Date;
  @Column({ name: 'last_address', type: 'text', nullable: true }) lastAddress: string | null;

  /** When it ends unless it is refreshed before; never after {@link endsAt}. */
  @Column({ name: 'expires_at', type: 'timestamptz' }) expiresAt: Date;
  @Column({ name: 'ends_at', type: 'timestamptz' }) endsAt: Date;

  /** When the password or the second factor was proven last; null when that is not known. */
  @Column({ name: 'proven_at', type: 'timestamptz', nullable: true }) provenAt: Date | null;

  /** True when the user proved who they are by a password or a passkey, and not by the word of a provider. */
  @Column({ name: 'person_proven', type: 'boolean' }) personProven: boolean;
}

/** A refresh token. Exchanged ones stay until they expire, so that a copy is recognised. */
@Entity({ name: 'refresh_token' })
export class RefreshToken {
  @PrimaryColumn({ name: 'token_hash', type: 'bytea' }) tokenHash: Buffer;
  @Column({ name: 'session_id', type: 'uuid' }) sessionId: string;

  /** The tenant of the platform for a session of an operator. */
  @Column({ name: 'tenant_id', type: 'uuid' }) tenantId: string;
  @Column({ name: 'user_id', type: 'uuid' }) userId: string;
  @Column({ name: 'expires_at', type: 'timestamptz' }) expiresAt: Date;

  /** When it was exchanged; null while it is valid. */
  @Column({ name: 'rotated_at', type: 'timestamptz', nullable: true }) rotatedAt: Date | null;

  /** True when a page keeps it: it signed in there, or was handed over. */
  @Column({ name: 'of_page', type: 'boolean' }) ofPage: boolean;

  /** What it was exchanged for, sealed with a key that only this token gives; null once the successor was used. */
  @Column({ name: 'sealed_successor', type: 'bytea', nullable: true }) sealedSuccessor: Buffer | null;
}

/** The tenants' tokens (api and internal) and the operators' tokens are signed with keys of their own. */
export type IssuerGroup = 'api' | 'admin';

@Entity({ name: 'signing_key' })
export class SigningKey {
  @PrimaryColumn({ type: 'text' }) kid: string;
  @Column({ name: 'issuer_group', type: 'text' }) group: IssuerGroup;
  @Column({ name: 'public_jwk', type: 'jsonb' }) publicJwk: JWK;
  @Column({ name: 'sealed_private_jwk', type: 'bytea' }) sealedPrivateJwk: Buffer;

  /** Published from its creation, used from here on. */
  @Column({ name: 'signs_from', type: 'timestamptz' }) signsFrom: Date;

  /** Not published any more from here on; null while no successor is known. */
  @Column({ name: 'retires_at', type: 'timestamptz', nullable: true }) retiresAt: Date | null;
}
