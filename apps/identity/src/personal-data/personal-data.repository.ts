import { inOtherTenant, type NarrowTransaction, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { ApiKey } from '../api-keys/api-key.entity.js';
import { EmailChange } from '../email-changes/email-change.entity.js';
import { EmbedUser } from '../embedding/embedding.entity.js';
import { Invitation } from '../invitations/invitation.entity.js';
import { Grant } from '../oauth/oauth.entity.js';
import { Passkey } from '../passkeys/passkey.entity.js';
import type { EmailHolder } from '../people/email-claim.repository.js';
import { User } from '../people/people.entity.js';
import { PersonRepository } from '../people/person.repository.js';
import { TenantRepository } from '../people/tenant.repository.js';
import { Authenticator, RecoveryCode } from '../second-factor/second-factor.entity.js';
import { Session } from '../sessions/sessions.entity.js';
import { ProviderLink, ProviderLinkRequest } from '../single-sign-on/single-sign-on.entity.js';

/** Rows of one kind that an export has: far more than a person makes. */
const MOST = 10_000;

/** Each is read by itself, and anybody can make some. */
const MOST_OFFERS = 200;

@Injectable()
export class PersonalDataRepository {
  constructor(
    private readonly persons: PersonRepository,
    private readonly tenants: TenantRepository,
  ) {}

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
      linkRequests,
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
      tx.repository(ProviderLinkRequest).find({ ...own, order: { id: 'ASC' } }),
      tx
        .repository(ApiKey)
        .find({ where: { tenantId, ownerKind: 'user', ownerId: userId }, take: MOST, order: { id: 'ASC' } }),
      tx.repository(Grant).find({ ...own, order: { id: 'ASC' } }),
    ]);
    const factors = { authenticator, recoveryCodesLeft, passkeys };
    return (
      user && {
        ...{ user, sessions, ...factors, invitations, emailChanges, embedLinks, providerLinks },
        ...{ linkRequests, apiKeys, grants },
      }
    );
  }

  /** The workspaces that the person is in, and those that wait for them. */
  async readPerson(tx: NarrowTransaction, userId: string) {
    const personId = await this.persons.personOf(tx, userId);
    if (personId === undefined) return { memberships: [], offers: [] };
    const memberships = await this.named(tx, await this.persons.memberships(tx, personId));
    const offers = await this.named(tx, (await this.persons.offers(tx, personId)).slice(0, MOST_OFFERS));
    return { memberships, offers };
  }

  private async named(
    tx: NarrowTransaction,
    users: readonly EmailHolder[],
  ): Promise<(EmailHolder & { name: string })[]> {
    const named: (EmailHolder & { name: string })[] = [];
    for (const { tenantId, userId } of users) {
      const tenant = await inOtherTenant(tx, tenantId, () => this.tenants.findAsNarrow(tx, tenantId));
      if (tenant) named.push({ tenantId, userId, name: tenant.name });
    }
    return named;
  }
}

export type PersonalData = NonNullable<Awaited<ReturnType<PersonalDataRepository['read']>>>;
