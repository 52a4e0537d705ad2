import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';

/**
 * Also those of which there is no row, because what they proved is just being looked at: they open no session in another epoch.
 * A change of address that waits for its confirmation ends too: whoever asked for it can be the one who is shut out.
 * The account is locked before the rows, as by an enrolment. $1: tenant, $2: user, or operator in the platform's tenant.
 */
export const END_PENDING_SIGN_INS = `
  WITH users AS (
    UPDATE app_user SET sign_in_epoch = sign_in_epoch + 1 WHERE tenant_id = $1 AND id = $2 RETURNING id),
  operators AS (
    UPDATE operator SET sign_in_epoch = sign_in_epoch + 1 WHERE tenant_id = $1 AND id = $2 RETURNING id),
  holder AS (SELECT id FROM users UNION ALL SELECT id FROM operators),
  at_provider AS (
    DELETE FROM provider_sign_in WHERE tenant_id = $1 AND user_id = $2 AND EXISTS (SELECT 1 FROM holder)),
  address_changes AS (
    DELETE FROM email_change
     WHERE tenant_id = $1 AND user_id = $2 AND confirmed_at IS NULL AND EXISTS (SELECT 1 FROM holder))
  DELETE FROM mfa_challenge WHERE tenant_id = $1 AND user_id = $2 AND EXISTS (SELECT 1 FROM holder)`;

/** Sign-ins that are half done: the password, or the provider, was right, and a code, an enrolment or a page is awaited. */
@Injectable()
export class PendingSignInRepository {
  /** Ends those of a user, so that what was proven before leads to no session afterwards. */
  async endOfUser(tx: TenantTransaction, userId: string): Promise<void> {
    await tx.query(END_PENDING_SIGN_INS, [tx.tenantId, userId]);
  }
}
