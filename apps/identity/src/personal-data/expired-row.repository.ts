import { type NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { Raw } from 'typeorm';
import { ApiKey } from '../api-keys/api-key.entity.js';
import { EmailChange } from '../email-changes/email-change.entity.js';
import {
  AuthorizationCode,
  AuthorizationRequest,
  Grant,
  GrantToken,
  OAuthInstallation,
} from '../oauth/oauth.entity.js';
import { SpentPasskeyChallenge } from '../passkeys/passkey.entity.js';
import { PasswordReset } from '../password-changes/password-reset.entity.js';
import { SignInEmail } from '../people/people.entity.js';
import { DELETE_LIFTED_SUSPENSIONS } from '../sessions/revocation.repository.js';
import { RefreshToken, RevocationCutoff, SigningKey } from '../sessions/sessions.entity.js';
import { ProviderLinkRequest, ProviderSignIn } from '../single-sign-on/single-sign-on.entity.js';

const PAST = Raw((column) => `${column} < now()`);

/** Kept, so that an old token can be told from a forged one, and the owner of an API key sees that it has expired. */
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
    await tx.repository(ProviderLinkRequest).delete({ expiresAt: PAST });
    await tx.repository(SignInEmail).delete({ reservedUntil: PAST });
    await tx.repository(SpentPasskeyChallenge).delete({ expiresAt: PAST });
    await tx.repository(AuthorizationRequest).delete({ expiresAt: PAST });
    await tx.repository(AuthorizationCode).delete({ expiresAt: PAST });
    await tx.repository(GrantToken).delete({ expiresAt: PAST });
    await tx.repository(Grant).delete({ expiresAt: PAST });
    await tx.repository(OAuthInstallation).delete({ endedAt: LONG_PAST });
  }
}
