import type { NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { Raw } from 'typeorm';
import { ApiKey } from '../api-keys/api-key.entity.js';
import { AuthorizationCode } from '../oauth/authorization-code.entity.js';
import { AuthorizationRequest } from '../oauth/authorization-request.entity.js';
import { Grant } from '../oauth/grant.entity.js';
import { GrantToken } from '../oauth/grant-token.entity.js';
import { OAuthInstallation } from '../oauth/oauth-installation.entity.js';
import { SignInEmail } from '../people/sign-in-email.entity.js';
import { RefreshToken } from '../sessions/refresh-token.entity.js';
import { DELETE_LIFTED_SUSPENSIONS } from '../sessions/revocation.sql.js';
import { RevocationCutoff } from '../sessions/revocation-cutoff.entity.js';
import { SigningKey } from '../sessions/signing-key.entity.js';
import { SpentPasskeyChallenge } from '../sign-in/spent-passkey-challenge.entity.js';
import { ProviderSignIn } from '../single-sign-on/provider-sign-in.entity.js';
import { EmailChange } from './email-change.entity.js';
import { PasswordReset } from './password-reset.entity.js';

const PAST = Raw((column) => `${column} < now()`);
/**
 * A retired key is kept for a month, so that an old token in a report can be distinguished from a forged one; an API key, so
 * that its owner sees that it has expired.
 */
const LONG_PAST = Raw((column) => `${column} < now() - interval '30 days'`);

/** Rows that are no longer of use: of global tables, and of those that the narrow role may sweep for every tenant. */
@Injectable()
export class ExpiredRowRepository {
  async delete(tx: NarrowTransaction): Promise<void> {
    await tx.repository(RefreshToken).delete({ expiresAt: PAST });
    // Before their reinstatements, which expire.
    await tx.query(DELETE_LIFTED_SUSPENSIONS, []);
    await tx.repository(RevocationCutoff).delete({ expiresAt: PAST });
    await tx.repository(SigningKey).delete({ retiresAt: LONG_PAST });
    await tx.repository(ApiKey).delete({ expiresAt: LONG_PAST });
    await tx.repository(PasswordReset).delete({ expiresAt: PAST });
    await tx.repository(EmailChange).delete({ expiresAt: PAST });
    await tx.repository(ProviderSignIn).delete({ expiresAt: PAST });
    await tx.repository(SignInEmail).delete({ reservedUntil: PAST });
    await tx.repository(SpentPasskeyChallenge).delete({ expiresAt: PAST });
    await tx.repository(AuthorizationRequest).delete({ expiresAt: PAST });
    await tx.repository(AuthorizationCode).delete({ expiresAt: PAST });
    await tx.repository(GrantToken).delete({ expiresAt: PAST });
    await tx.repository(Grant).delete({ expiresAt: PAST });
    await tx.repository(OAuthInstallation).delete({ endedAt: LONG_PAST });
  }
}
