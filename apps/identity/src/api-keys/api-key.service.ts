import { apiKeyFingerprint, apiKeyStart, makeApiKey, type Principal } from '@crm/access';
import { PlatformError, type Scope } from '@crm/contracts';
import { Database, newId, type TenantTransaction } from '@crm/database';
import type { ListAnswer, ListQuery } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.service.js';
import type { NewMail } from '../mail/mail.repository.js';
import { MailService } from '../mail/mail.service.js';
import { TenantRepository } from '../people/tenant.repository.js';
import { UserRepository } from '../people/user.repository.js';
import { assertGrantable } from '../people/user.service.js';
import { RecentProof } from '../sessions/proof.service.js';
import type { ApiKey } from './api-key.entity.js';
import { ApiKeyRepository, type NewApiKey } from './api-key.repository.js';
import { assertScopesGrantable, assertWithinToken } from './grantable-scopes.js';
import { keySubject, OwnedKeys } from './owned-keys.js';
import { ServiceAccountService } from './service-account.service.js';

/** Keys that have not expired: of one user or service account, and of a tenant. */
export const KEYS_PER_OWNER = 25;
export const KEYS_PER_TENANT = 1_000;

export const DEFAULT_KEY_DAYS = 90;
export const LONGEST_KEY_DAYS = 365;

const DAY_SECONDS = 24 * 3600;

/** A key that was made. Its text is known here and never again. */
export interface IssuedKey {
  readonly key: string;
  readonly stored: ApiKey;
}

/** Makes keys, of users and of service accounts. */
@Injectable()
export class KeyIssueService {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly tenants: TenantRepository,
    private readonly trail: AuditTrail,
  ) {}

  /**
   * @param tx holds the row of the owner, and was opened for whoever makes the key
   * @throws PlatformError API_KEY_LIMIT_EXCEEDED, NOT_FOUND for a workspace that was closed
   */
  async issue(
    tx: TenantTransaction,
    owned: Omit<NewApiKey, 'id' | 'secretHash'>,
    days: number = DEFAULT_KEY_DAYS,
  ): Promise<IssuedKey> {
    const { tenantId } = tx;
    // Keys of a tenant are made one after the other, so that no two of them are the last that is allowed.
    const tenant = await this.tenants.lock(tx);
    if (!tenant || tenant.closedAt) throw new PlatformError('NOT_FOUND', 'There is no such workspace');
    const [ofOwner, ofTenant] = await Promise.all([this.keys.countLive(tx, owned.ownerId), this.keys.countLive(tx)]);
    if (ofOwner >= KEYS_PER_OWNER) throw tooMany(`At most ${KEYS_PER_OWNER} keys at a time; end one that is not used`);
    if (ofTenant >= KEYS_PER_TENANT) throw tooMany(`At most ${KEYS_PER_TENANT} keys in a workspace at a time`);
    const id = newId();
    const key = makeApiKey({ keyId: id, tenantId });
    const secretHash = Buffer.from(apiKeyFingerprint(key), 'hex');
    const stored = await this.keys.insert(tx, { ...owned, id, secretHash }, days * DAY_SECONDS);
    this.trail.record(tx, {
      action: 'api_key.made',
      subject: keySubject({ kind: owned.ownerKind, id: owned.ownerId }),
      detail: { keyId: id, scopes: stored.scopes, expiresAt: stored.expiresAt.toISOString() },
    });
    return { key, stored };
  }
}

const tooMany = (detail: string) => new PlatformError('API_KEY_LIMIT_EXCEEDED', detail);

const VALID_SECONDS = 3 * 24 * 3600;

/**
 * Tells a user that a key acts for them from now on, so that one that a thief made does not go unnoticed.
 * @param recipient the address of the user
 */
function keyNotice(recipient: string, keyId: string): NewMail {
  const body = [
    `An API key was made for your account. It begins with ${apiKeyStart(keyId)}, and programs that have it act for you.`,
    '',
    'If this was not you, end the key, change your password, and tell the administrator of your workspace.',
    '',
  ].join('\n');
  return { recipient, subject: 'An API key was made for your account', body, validSeconds: VALID_SECONDS };
}

export interface KeyRequest {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresInDays?: number;
}

/** Keys that users make for themselves: programs that have one act for the user, within its scopes. */
@Injectable()
export class PersonalKeyService {
  constructor(
    private readonly database: Database,
    private readonly users: UserRepository,
    private readonly issue: KeyIssueService,
    private readonly proof: RecentProof,
    private readonly mails: MailService,
  ) {}

  /** @throws PlatformError STEP_UP_REQUIRED, SCOPE_NOT_GRANTABLE, API_KEY_LIMIT_EXCEEDED */
  async make(principal: Principal, { name, scopes, expiresInDays }: KeyRequest): Promise<IssuedKey> {
    const { userId } = principal;
    await this.proof.assert(principal);
    assertWithinToken(principal, scopes);
    return this.database.transaction(principal, async (tx) => {
      const user = await this.users.lockForIssue(tx, userId);
      if (user?.status !== 'active') throw new PlatformError('FORBIDDEN', 'The user is not active');
      // Again, now that the user cannot change: what ended the session meanwhile ended the keys that there were.
      await this.proof.assertWithin(tx, principal);
      assertScopesGrantable(user.roles, scopes);
      const owned = { ownerKind: 'user' as const, ownerId: userId, createdBy: userId };
      const issued = await this.issue.issue(tx, { ...owned, name: name.trim(), scopes: [...scopes] }, expiresInDays);
      await this.mails.queue(tx, tx.tenantId, keyNotice(user.email, issued.stored.id));
      return issued;
    });
  }
}

/** The keys of the users of a workspace, as its administrators see and end them. */
@Injectable()
export class UserKeyService {
  constructor(
    private readonly database: Database,
    private readonly users: UserRepository,
    private readonly keys: OwnedKeys,
    private readonly proof: RecentProof,
  ) {}

  /** @throws PlatformError NOT_FOUND, ROLE_NOT_GRANTABLE for a user with a role above the principal's, INVALID_QUERY */
  async list(principal: Principal, userId: string, query: ListQuery): Promise<ListAnswer<ApiKey>> {
    await this.assertAdministered(principal, userId);
    return this.keys.list(principal.tenantId, userId, query);
  }

  /** @throws PlatformError NOT_FOUND, ROLE_NOT_GRANTABLE, STEP_UP_REQUIRED */
  async end(principal: Principal, userId: string, keyId: string): Promise<void> {
    await this.assertAdministered(principal, userId);
    await this.proof.assert(principal);
    await this.keys.end(principal, { kind: 'user', id: userId }, keyId);
  }

  /** @throws PlatformError NOT_FOUND, ROLE_NOT_GRANTABLE, STEP_UP_REQUIRED */
  async endAll(principal: Principal, userId: string): Promise<void> {
    await this.assertAdministered(principal, userId);
    await this.proof.assert(principal);
    await this.keys.endAll(principal, { kind: 'user', id: userId });
  }

  private async assertAdministered(principal: Principal, userId: string): Promise<void> {
    const user = await this.database.transaction(principal.tenantId, (tx) => this.users.find(tx, userId));
    if (!user) throw new PlatformError('NOT_FOUND', 'There is no such user');
    assertGrantable(principal, user.roles);
  }
}

export interface ServiceKeyRequest {
  readonly name: string;
  readonly expiresInDays?: number;
}

/** The keys of service accounts, as administrators make and end them. */
@Injectable()
export class ServiceKeyService {
  constructor(
    private readonly database: Database,
    private readonly accounts: ServiceAccountService,
    private readonly issue: KeyIssueService,
    private readonly keys: OwnedKeys,
    private readonly proof: RecentProof,
  ) {}

  /** @throws PlatformError NOT_FOUND, INVALID_QUERY */
  async list({ tenantId }: Principal, accountId: string, query: ListQuery): Promise<ListAnswer<ApiKey>> {
    await this.accounts.get(tenantId, accountId);
    return this.keys.list(tenantId, accountId, query);
  }

  /** @throws PlatformError NOT_FOUND, ROLE_NOT_GRANTABLE, STEP_UP_REQUIRED, API_KEY_LIMIT_EXCEEDED */
  async make(principal: Principal, accountId: string, request: ServiceKeyRequest): Promise<IssuedKey> {
    await this.proof.assert(principal);
    return this.database.transaction(principal, async (tx) => {
      await this.accounts.hold(tx, principal, accountId);
      const owned = { ownerKind: 'service' as const, ownerId: accountId, createdBy: principal.userId };
      return this.issue.issue(tx, { ...owned, name: request.name.trim(), scopes: [] }, request.expiresInDays);
    });
  }

  /** @throws PlatformError NOT_FOUND, ROLE_NOT_GRANTABLE, STEP_UP_REQUIRED */
  async end(principal: Principal, accountId: string, keyId: string): Promise<void> {
    await this.database.transaction(principal, (tx) => this.accounts.hold(tx, principal, accountId));
    await this.proof.assert(principal);
    await this.keys.end(principal, { kind: 'service', id: accountId }, keyId);
  }
}
