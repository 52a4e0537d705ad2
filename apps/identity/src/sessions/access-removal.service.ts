import { type NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { EmailHolder } from '../people/email-claim.repository.js';
import { RevocationService } from './revocation.service.js';

/**
 * Parts of a statement that end every way to act as a user: grants of apps go with the user or by {@link REMOVE_ACCESS_OF_USER}. Links
 * of hosts stay, whose word they are, and so does what undoes a change of the address. $1: tenant, $2: user.
 */
export const ENDED_ACCESS = `
  ended AS (DELETE FROM session WHERE tenant_id = $1 AND user_id = $2 RETURNING id),
  tokens AS (DELETE FROM refresh_token WHERE session_id IN (SELECT id FROM ended)),
  challenges AS (DELETE FROM mfa_challenge WHERE tenant_id = $1 AND user_id = $2),
  authenticators AS (DELETE FROM authenticator WHERE tenant_id = $1 AND user_id = $2),
  codes AS (DELETE FROM recovery_code WHERE tenant_id = $1 AND user_id = $2),
  guesses AS (DELETE FROM code_guess WHERE tenant_id = $1 AND user_id = $2),
  invitations AS (DELETE FROM invitation WHERE tenant_id = $1 AND user_id = $2),
  resets AS (DELETE FROM password_reset WHERE tenant_id = $1 AND user_id = $2),
  changes AS (DELETE FROM email_change WHERE tenant_id = $1 AND user_id = $2 AND confirmed_at IS NULL),
  passkeys AS (DELETE FROM passkey WHERE tenant_id = $1 AND user_id = $2),
  provider_links AS (DELETE FROM provider_link WHERE tenant_id = $1 AND user_id = $2),
  provider_sign_ins AS (DELETE FROM provider_sign_in WHERE tenant_id = $1 AND user_id = $2),
  link_requests AS (DELETE FROM provider_link_request WHERE tenant_id = $1 AND user_id = $2),
  keys AS (DELETE FROM api_key WHERE tenant_id = $1 AND owner_id = $2 AND owner_kind = 'user')`;

/** $1: tenant, $2: user. */
export const REMOVE_ACCESS_OF_USER = `
  WITH ${ENDED_ACCESS},
  grants AS (DELETE FROM oauth_grant WHERE tenant_id = $1 AND user_id = $2),
  authorizations AS (DELETE FROM oauth_code WHERE tenant_id = $1 AND user_id = $2)
  UPDATE app_user
     SET sign_in_epoch = sign_in_epoch + 1, mfa_enabled = false, password_hash = NULL, initial_password = false
   WHERE tenant_id = $1 AND id = $2`;

/**
 * Ends the sessions and what was begun or made in them, as a new password does. What proves who signs in stays.
 * $1: tenant, $2: user, $3: session that stays, or null.
 */
export const SIGN_OUT_USER = `
  WITH ended AS (
    DELETE FROM session WHERE tenant_id = $1 AND user_id = $2 AND id IS DISTINCT FROM $3::uuid RETURNING id),
  tokens AS (DELETE FROM refresh_token WHERE session_id IN (SELECT id FROM ended)),
  challenges AS (DELETE FROM mfa_challenge WHERE tenant_id = $1 AND user_id = $2),
  provider_sign_ins AS (DELETE FROM provider_sign_in WHERE tenant_id = $1 AND user_id = $2),
  resets AS (DELETE FROM password_reset WHERE tenant_id = $1 AND user_id = $2),
  changes AS (DELETE FROM email_change WHERE tenant_id = $1 AND user_id = $2 AND confirmed_at IS NULL),
  keys AS (DELETE FROM api_key WHERE tenant_id = $1 AND owner_id = $2 AND owner_kind = 'user' RETURNING id),
  grants AS (DELETE FROM oauth_grant WHERE tenant_id = $1 AND user_id = $2 RETURNING id),
  authorizations AS (DELETE FROM oauth_code WHERE tenant_id = $1 AND user_id = $2),
  epoch AS (UPDATE app_user SET sign_in_epoch = sign_in_epoch + 1 WHERE tenant_id = $1 AND id = $2)
  SELECT id FROM ended UNION ALL SELECT id FROM keys UNION ALL SELECT id FROM grants`;

/** Ends whatever someone may have kept who used an account before its address was proven. */
@Injectable()
export class AccessRemovalService {
  constructor(private readonly revocations: RevocationService) {}

  /** In the context of the user's tenant; after the commit the caller publishes the cut-off (`publishPending`). */
  async removeAccess(tx: NarrowTransaction, { tenantId, userId }: EmailHolder): Promise<void> {
    await tx.query(REMOVE_ACCESS_OF_USER, [tenantId, userId]);
    await this.revocations.record(tx, 'user', userId);
  }

  /** Like {@link removeAccess}, for what a password has opened. @param keptSessionId without one no access token stays valid either */
  async signOut(tx: NarrowTransaction, { tenantId, userId }: EmailHolder, keptSessionId?: string): Promise<void> {
    const ended = await tx.query<{ id: string }>(SIGN_OUT_USER, [tenantId, userId, keptSessionId ?? null]);
    for (const { id } of ended) await this.revocations.record(tx, 'session', id);
    if (keptSessionId === undefined) await this.revocations.record(tx, 'user', userId);
  }
}
