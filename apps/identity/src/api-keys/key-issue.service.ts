import { apiKeyFingerprint, makeApiKey } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { newId, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { TenantRepository } from '../people/tenant.repository.js';
import type { ApiKey } from './api-key.entity.js';
import { ApiKeyRepository, type NewApiKey } from './api-key.repository.js';
import { keySubject } from './key-subject.js';

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
