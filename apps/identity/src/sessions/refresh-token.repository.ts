import { hkdfSync } from 'node:crypto';
import type { Database, NarrowTransaction } from '@crm/database';
import { SecretBox } from '@crm/encryption';
import { Injectable } from '@nestjs/common';
import { Any } from 'typeorm';
import { PLATFORM_TENANT } from '../platform-tenant.js';
import { hashSecret, newSecret } from '../secrets.js';
import { RefreshToken } from './sessions.entity.js';

const SUCCESSOR_CONTEXT = 'refresh_token/successor';

/** The key is derived from the token, of which the database has only a hash: a copy of the table holds no token that works. */
export const sealSuccessor = (token: string, successor: string): Buffer =>
  boxOf(token).seal(successor, SUCCESSOR_CONTEXT);

/** @throws Error when the box belongs to another token */
export const openSuccessor = (token: string, sealed: Buffer): string => boxOf(token).open(sealed, SUCCESSOR_CONTEXT);

// Another function than the hash that is stored: SHA-256 of the token does not lead to the key.
const boxOf = (token: string): SecretBox =>
  new SecretBox(Buffer.from(hkdfSync('sha256', token, '', 'identity.refresh-token-successor', 32)).toString('base64'));

/** How long a client that lost the answer is given the same successor again. */
export const GRACE_SECONDS = 10;
/** The same for tokens that a page keeps, which is asleep or without a network when an answer is lost; no script sees them. */
export const PAGE_GRACE_SECONDS = 60;

/** What a presented token turned out to be. `reused`: two parties hold it (RFC 9700, section 4.14.2). */
type KnownRotation = { outcome: 'rotated'; successor: string } | { outcome: 'reused' };
export type Rotation = KnownRotation | { outcome: 'unknown' };

/** @param sealedSuccessor null once the successor was used, or the grace is over */
export function rotationOfSpent(presented: string, sealedSuccessor: Buffer | null): KnownRotation {
  if (!sealedSuccessor) return { outcome: 'reused' };
  return { outcome: 'rotated', successor: openSuccessor(presented, sealedSuccessor) };
}

/** $1: hash of the token, $2: session, $3: tenant, $4: user, $5: seconds that it is valid, $6: whether a page keeps it. */
export const STORE_REFRESH_TOKEN = `
  INSERT INTO refresh_token (token_hash, session_id, tenant_id, user_id, expires_at, of_page)
  VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5), $6)`;

/**
 * Spends a token and stores its successor; gives no row when the token is not valid. Of two exchanges at once the second
 * waits for the first and finds the token spent. The successor of an earlier token is forgotten: its client has it, because
 * it presents it here.
 * $1: hash of the token presented, $2: hash of its successor, $3: seconds that the successor is valid, $4: the successor,
 * sealed, $5: the platform's tenant, $6: whether the token must be an operator's, $7: whether a page keeps the successor.
 */
export const ROTATE_REFRESH_TOKEN = `
  WITH spent AS (
    UPDATE refresh_token SET rotated_at = now(), sealed_successor = $4
     WHERE token_hash = $1 AND rotated_at IS NULL AND expires_at > now() AND (tenant_id = $5) = $6
    RETURNING session_id, tenant_id, user_id),
  settled AS (
    UPDATE refresh_token AS earlier SET sealed_successor = NULL FROM spent
     WHERE earlier.session_id = spent.session_id AND earlier.sealed_successor IS NOT NULL AND earlier.token_hash <> $1)
  INSERT INTO refresh_token (token_hash, session_id, tenant_id, user_id, expires_at, of_page)
  SELECT $2, session_id, tenant_id, user_id, now() + make_interval(secs => $3), $7 FROM spent
  RETURNING session_id AS "sessionId", tenant_id AS "tenantId", user_id AS "userId"`;

/**
 * A token that was spent. The successor comes with it for a few seconds, as long as nobody has presented the successor.
 * $1: hash of the token presented, $2: seconds in which the successor is given again, $3: the platform's tenant, $4: whether
 * the token must be an operator's, $5: whether a page presents it, $6: the seconds for a token that a page keeps.
 */
export const FIND_SPENT_REFRESH_TOKEN = `
  SELECT session_id AS "sessionId", tenant_id AS "tenantId", user_id AS "userId",
    CASE WHEN in_grace THEN sealed_successor END AS "sealedSuccessor", in_grace AND ends_nothing AS "wasOvertaken"
    FROM refresh_token,
      LATERAL (SELECT of_page AND $5 AS ends_nothing) page,
      LATERAL (SELECT rotated_at > now() - make_interval(secs => CASE WHEN ends_nothing THEN $6::float8 ELSE $2::float8 END)
                 AS in_grace) age
   WHERE token_hash = $1 AND rotated_at IS NOT NULL AND (tenant_id = $3) = $4`;

interface FoundToken {
  readonly owner: RefreshTokenOwner;
  /** True when a page presents a token of its own within the grace: its call was overtaken by those of other windows. */
  readonly wasOvertaken?: boolean;
}

export type RefreshTokenOwner = Pick<RefreshToken, 'sessionId' | 'tenantId' | 'userId'>;

/** Which tokens are accepted: those of users and those of operators are refreshed at different addresses. */
export type RefreshTokenKind = 'users' | 'operators';

@Injectable()
export class RefreshTokenRepository {
  async store(
    database: Database,
    tokenHash: Buffer,
    { sessionId, tenantId, userId, ofPage }: RefreshTokenOwner & Pick<RefreshToken, 'ofPage'>,
    validSeconds: number,
  ): Promise<void> {
    const parameters = [tokenHash, sessionId, tenantId, userId, validSeconds, ofPage];
    await database.crossTenantStatement(STORE_REFRESH_TOKEN, parameters);
  }

  /** Exchanged tokens stay until they expire, so that a copy is recognised. @param ofPage whether a page presents it and keeps the successor */
  async rotate(
    tx: NarrowTransaction,
    presented: string,
    kind: RefreshTokenKind,
    validSeconds: number,
    ofPage: boolean,
  ): Promise<(KnownRotation & FoundToken) | { outcome: 'unknown' }> {
    const hash = hashSecret(presented);
    const operators = kind === 'operators';
    const successor = newSecret();
    const [owner] = await tx.queryPrepared<RefreshTokenOwner>(ROTATE_REFRESH_TOKEN, [
      hash,
      hashSecret(successor),
      validSeconds,
      sealSuccessor(presented, successor),
      PLATFORM_TENANT,
      operators,
      ofPage,
    ]);
    if (owner) return { outcome: 'rotated', owner, successor };
    const [spent] = await tx.query<RefreshTokenOwner & { sealedSuccessor: Buffer | null; wasOvertaken: boolean }>(
      FIND_SPENT_REFRESH_TOKEN,
      [hash, GRACE_SECONDS, PLATFORM_TENANT, operators, ofPage, PAGE_GRACE_SECONDS],
    );
    if (!spent) return { outcome: 'unknown' };
    const { sealedSuccessor, wasOvertaken, ...spentOwner } = spent;
    return { ...rotationOfSpent(presented, sealedSuccessor), owner: spentOwner, wasOvertaken };
  }

  async deleteOfSessions(tx: NarrowTransaction, sessionIds: readonly string[]): Promise<void> {
    await tx.repository(RefreshToken).delete({ sessionId: Any([...sessionIds]) });
  }
}
