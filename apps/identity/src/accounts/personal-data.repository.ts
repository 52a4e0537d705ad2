import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { ApiKey } from '../api-keys/api-key.entity.js';
import { EmbedUser } from '../embedding/embed-user.entity.js';
import { Grant } from '../oauth/grant.entity.js';
import { User } from '../people/user.entity.js';
import { Session } from '../sessions/session.entity.js';
import { Authenticator } from '../sign-in/authenticator.entity.js';
import { Passkey } from '../sign-in/passkey.entity.js';
import { RecoveryCode } from '../sign-in/recovery-code.entity.js';
import { ProviderLink } from '../single-sign-on/provider-link.entity.js';
import { EmailChange } from './email-change.entity.js';
import { Invitation } from './invitation.entity.js';

/** Rows of one kind that an export has: far more than a person makes. */
const MOST = 10_000;

/** What is stored of a user outside the audit trail. */
@Injectable()
export class PersonalDataRepository {
  async read(tx: TenantTransaction, userId: string) {
    const { tenantId } = tx;
    const own = { where: { tenantId, userId }, take: MOST };
    // Sent together: one round trip.
    const [
      user,
      sessions,
      authenticator,
      recoveryCodesLeft,
      invitations,
      emailChanges,
      embedLinks,
      passkeys,
      providerLinks,
      apiKeys,
      grants,
    ] = await Promise.all([
      tx.repository(User).findOneBy({ tenantId, id: userId }),
      tx.repository(Session).find({ ...own, order: { id: 'ASC' } }),
      tx.repository(Authenticator).findOneBy({ tenantId, userId }),
      tx.repository(RecoveryCode).countBy({ tenantId, userId }),
      tx.repository(Invitation).find({ ...own, order: { id: 'ASC' } }),
      tx.repository(EmailChange).find({ ...own, order: { id: 'ASC' } }),
      tx.repository(EmbedUser).find({ ...own, order: { appKey: 'ASC', sub: 'ASC' } }),
      tx.repository(Passkey).find({ ...own, order: { id: 'ASC' } }),
      tx.repository(ProviderLink).find({ ...own, order: { issuer: 'ASC', sub: 'ASC' } }),
      tx
        .repository(ApiKey)
        .find({ where: { tenantId, ownerKind: 'user', ownerId: userId }, take: MOST, order: { id: 'ASC' } }),
      tx.repository(Grant).find({ ...own, order: { id: 'ASC' } }),
    ]);
    const factors = { authenticator, recoveryCodesLeft, passkeys };
    return (
      user && { user, sessions, ...factors, invitations, emailChanges, embedLinks, providerLinks, apiKeys, grants }
    );
  }
}

/** Everything of a user who exists. */
export type PersonalData = NonNullable<Awaited<ReturnType<PersonalDataRepository['read']>>>;
