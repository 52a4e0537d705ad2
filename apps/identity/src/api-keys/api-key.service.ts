import { apiKeyFingerprint, apiKeyStart, makeApiKey, type Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, newId, type TenantTransaction } from '@crm/database';
import { idPosition, type ListAnswer, type ListQuery, listAnswer, parsePage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.service.js';
import type { NewMail } from '../mail/mail.repository.js';
import { MailService } from '../mail/mail.service.js';
import { TenantRepository, UserRepository } from '../people/people.repository.js';
import { assertAdministered } from '../people/people.service.js';
import { RecentProof } from '../sessions/proof.service.js';
import { RevocationService } from '../sessions/revocation.service.js';
import {
  type ApiKeyInput,
  apiKeyView,
  DEFAULT_KEY_DAYS,
  type NewApiKeyView,
  type ServiceKeyInput,
} from './api-key.dto.js';
import type { ApiKey } from './api-key.entity.js';
import { ApiKeyRepository, type NewApiKey } from './api-key.repository.js';
import { ApiKeyEnding, type KeyHolder, keySubject } from './api-key-ending.js';
import { assertScopesGrantable, assertWithinToken } from './grantable-scopes.js';
import { ServiceAccountService } from './service-account.service.js';

/** Keys that have not expired: of one user or service account, and of a tenant. */
export const KEYS_PER_OWNER = 25;
export const KEYS_PER_TENANT = 1_000;

const DAY_SECONDS = 24 * 3600;

/** The keys of users and of service accounts. What administrators do with those of others is checked against their roles. */
@Injectable()
export class ApiKeyService {
  constructor(
    private readonly database: Database,
    private readonly keys: ApiKeyRepository,
    private readonly ending: ApiKeyEnding,
    private readonly accounts: ServiceAccountService,
    private readonly users: UserRepository,
    private readonly tenants: TenantRepository,
    private readonly proof: RecentProof,
    private readonly mails: MailService,
    private readonly revocations: RevocationService,
    private readonly trail: AuditTrail,
  ) {}

  /** Newest first; expired ones stay for a month. @throws PlatformError INVALID_QUERY for a cursor of another owner or list */
  async list(tenantId: string, ownerId: string, query: ListQuery): Promise<ListAnswer<ApiKey>> {
    const page = parsePage(query, { tenantId, list: 'api-keys', filter: ownerId });
    const found = await this.database.transaction(tenantId, (tx) => this.keys.listOfOwner(tx, ownerId, page));
    return listAnswer(found.rows, page, found.counted, idPosition);
  }

  /** @throws PlatformError NOT_FOUND, ROLE_NOT_GRANTABLE for a user with a role above the principal's, INVALID_QUERY */
  async listOfUser(principal: Principal, userId: string, query: ListQuery): Promise<ListAnswer<ApiKey>> {
    await assertAdministered(this.database, this.users, principal, userId);
    return this.list(principal.tenantId, userId, query);
  }

  /** @throws PlatformError NOT_FOUND, INVALID_QUERY */
  async listOfAccount({ tenantId }: Principal, accountId: string, query: ListQuery): Promise<ListAnswer<ApiKey>> {
    await this.accounts.get(tenantId, accountId);
    return this.list(tenantId, accountId, query);
  }

  /** Makes a key with which programs act for the principal. @throws PlatformError STEP_UP_REQUIRED, SCOPE_NOT_GRANTABLE, API_KEY_LIMIT_EXCEEDED */
  async make(principal: Principal, { name, scopes, expiresInDays }: ApiKeyInput): Promise<NewApiKeyView> {
    const { userId } = principal;
    assertWithinToken(principal, scopes);
    return this.database.transaction(principal, async (tx) => {
      const user = await this.users.lockForIssue(tx, userId);
      if (user?.status !== 'active') throw new PlatformError('FORBIDDEN', "The user isn't active");
      // Again, now that the user cannot change: what ended the session meanwhile ended the keys that there were.
      await this.proof.assertWithin(tx, principal);
      assertScopesGrantable(user.roles, scopes);
      const owned = { ownerKind: 'user' as const, ownerId: userId, createdBy: userId };
      const issued = await this.issue(tx, { ...owned, name: name.trim(), scopes: [...scopes] }, expiresInDays);
      await this.mails.queue(tx, tx.tenantId, keyNotice(user.email, issued.id));
      return issued;
    });
  }

  /** @throws PlatformError NOT_FOUND, ROLE_NOT_GRANTABLE, API_KEY_LIMIT_EXCEEDED */
  async makeForAccount(principal: Principal, accountId: string, input: ServiceKeyInput): Promise<NewApiKeyView> {
    return this.database.transaction(principal, async (tx) => {
      await this.accounts.hold(tx, principal, accountId);
      const owned = { ownerKind: 'service' as const, ownerId: accountId, createdBy: principal.userId };
      return this.issue(tx, { ...owned, name: input.name.trim(), scopes: [] }, input.expiresInDays);
    });
  }

  /**
   * Ends a key: from the commit on it is not exchanged, and within a second its tokens are refused everywhere.
   * @param owner in the principal's tenant; whether the principal may is decided before
   * @throws PlatformError NOT_FOUND
   */
  async end(principal: Principal, owner: KeyHolder, id: string): Promise<void> {
    await this.database.transaction(principal, async (tx) => {
      const found = await this.ending.endWithin(tx, owner.id, id);
      if (!found) throw new PlatformError('NOT_FOUND', 'API key not found');
      this.trail.record(tx, { action: 'api_key.ended', subject: keySubject(owner), detail: { keyId: id } });
    });
    await this.revocations.publishPending();
  }

  async endAll(principal: Principal, owner: KeyHolder): Promise<void> {
    await this.database.transaction(principal, async (tx) => {
      const keys = await this.ending.endAllWithin(tx, owner.id);
      this.trail.record(tx, { action: 'api_key.all_ended', subject: keySubject(owner), detail: { keys } });
    });
    await this.revocations.publishPending();
  }

  /** @throws PlatformError NOT_FOUND, ROLE_NOT_GRANTABLE */
  async endOfUser(principal: Principal, userId: string, keyId: string): Promise<void> {
    await assertAdministered(this.database, this.users, principal, userId);
    await this.end(principal, { kind: 'user', id: userId }, keyId);
  }

  /** @throws PlatformError NOT_FOUND, ROLE_NOT_GRANTABLE */
  async endAllOfUser(principal: Principal, userId: string): Promise<void> {
    await assertAdministered(this.database, this.users, principal, userId);
    await this.endAll(principal, { kind: 'user', id: userId });
  }

  /** @throws PlatformError NOT_FOUND, ROLE_NOT_GRANTABLE */
  async endOfAccount(principal: Principal, accountId: string, keyId: string): Promise<void> {
    await this.database.transaction(principal, (tx) => this.accounts.hold(tx, principal, accountId));
    await this.end(principal, { kind: 'service', id: accountId }, keyId);
  }

  /** @param tx holds the owner's row @throws PlatformError API_KEY_LIMIT_EXCEEDED, NOT_FOUND for a closed workspace */
  private async issue(
    tx: TenantTransaction,
    owned: Omit<NewApiKey, 'id' | 'secretHash'>,
    days: number = DEFAULT_KEY_DAYS,
  ): Promise<NewApiKeyView> {
    const { tenantId } = tx;
    // Keys of a tenant are made one after the other, so that no two of them are the last that is allowed.
    const tenant = await this.tenants.lock(tx);
    if (!tenant || tenant.closedAt) throw new PlatformError('NOT_FOUND', 'Workspace not found');
    const [ofOwner, ofTenant] = await Promise.all([this.keys.countLive(tx, owned.ownerId), this.keys.countLive(tx)]);
    if (ofOwner >= KEYS_PER_OWNER) throw tooMany(`You can have up to ${KEYS_PER_OWNER} keys. Revoke one you don't use`);
    if (ofTenant >= KEYS_PER_TENANT) throw tooMany(`A workspace can have up to ${KEYS_PER_TENANT} keys`);
    const id = newId();
    const key = makeApiKey({ keyId: id, tenantId });
    const secretHash = Buffer.from(apiKeyFingerprint(key), 'hex');
    const stored = await this.keys.insert(tx, { ...owned, id, secretHash }, days * DAY_SECONDS);
    this.trail.record(tx, {
      action: 'api_key.made',
      subject: keySubject({ kind: owned.ownerKind, id: owned.ownerId }),
      detail: { keyId: id, scopes: stored.scopes, expiresAt: stored.expiresAt.toISOString() },
    });
    return { ...apiKeyView(stored), key };
  }
}

const tooMany = (detail: string) => new PlatformError('API_KEY_LIMIT_EXCEEDED', detail);

/** Tells a user that a key acts for them from now on, so that one that a thief made does not go unnoticed. */
const keyNotice = (recipient: string, keyId: string): NewMail => ({
  recipient,
  subject: 'An API key was made for your account',
  body: [
    `An API key was made for your account. It begins with ${apiKeyStart(keyId)}, and programs that have it act for you.`,
    '',
    'If this was not you, end the key, change your password, and tell the administrator of your workspace.',
    '',
  ].join('\n'),
  validSeconds: 3 * DAY_SECONDS,
});
