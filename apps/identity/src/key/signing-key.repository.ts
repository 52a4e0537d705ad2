import type { NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { JWK } from 'jose';

/** The tenants' tokens (api and internal) and the operators' tokens are signed with keys of their own. */
export type IssuerGroup = 'api' | 'admin';

export interface SigningKeyRow {
  kid: string;
  group: IssuerGroup;
  publicJwk: JWK;
  sealedPrivateJwk: Buffer;
  /** Published from its creation, used from here on. */
  signsFrom: Date;
  /** Not published any more from here on; null while no successor is known. */
  retiresAt: Date | null;
}

const COLUMNS = `kid, issuer_group AS "group", public_jwk AS "publicJwk", sealed_private_jwk AS "sealedPrivateJwk",
  signs_from AS "signsFrom", retires_at AS "retiresAt"`;

@Injectable()
export class SigningKeyRepository {
  /** Makes replicas that want to create or rotate keys wait for each other until the transaction ends. */
  async lock(tx: NarrowTransaction): Promise<void> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtext('identity.signing_key'))`);
  }

  /** Every key that is not retired, oldest first. */
  async listPublished(tx: NarrowTransaction): Promise<SigningKeyRow[]> {
    return tx.query<SigningKeyRow>(
      `SELECT ${COLUMNS} FROM signing_key WHERE retires_at IS NULL OR retires_at > now() ORDER BY signs_from, kid`,
    );
  }

  async insert(tx: NarrowTransaction, key: Omit<SigningKeyRow, 'retiresAt'>): Promise<void> {
    await tx.query(
      `INSERT INTO signing_key (kid, issuer_group, public_jwk, sealed_private_jwk, signs_from)
       VALUES ($1, $2, $3, $4, $5)`,
      [key.kid, key.group, JSON.stringify(key.publicJwk), key.sealedPrivateJwk, key.signsFrom],
    );
  }

  /** Gives every other key of the group an end. */
  async retireOthers(tx: NarrowTransaction, group: IssuerGroup, kid: string, retiresAt: Date): Promise<void> {
    await tx.query(
      'UPDATE signing_key SET retires_at = $3 WHERE issuer_group = $1 AND kid <> $2 AND retires_at IS NULL',
      [group, kid, retiresAt],
    );
  }
}
