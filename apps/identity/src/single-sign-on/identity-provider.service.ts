import { isDeepStrictEqual } from 'node:util';
import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, newId, type TenantTransaction } from '@crm/database';
import { SecretBox } from '@crm/encryption';
import { Limiter, LimiterStore } from '@crm/limits';
import { Inject, Injectable } from '@nestjs/common';
import type { AuditAction } from '../audit/audit-actions.js';
import type { AuditDetail } from '../audit/audit-entry.entity.js';
import { AuditTrail, SYSTEM } from '../audit/audit-trail.service.js';
import { RefusedActs } from '../audit/refused-acts.js';
import type { RequestOrigin } from '../audit/request-origin.decorator.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { assertGrantable, assertVerified, TenantService } from '../people/people.service.js';
import { RoleService } from '../roles/role.service.js';
import { packIds, unpackIds } from '../secrets.js';
import { SignInPolicyRepository } from '../sign-in/factor.repository.js';
import { OidcClient, type ProviderClient } from './oidc-client.js';
import { ProviderFailure } from './oidc-metadata.js';
import type { ChangeIdentityProviderInput, CreateIdentityProviderInput } from './single-sign-on.dto.js';
import type { IdentityProvider } from './single-sign-on.entity.js';
import { IdentityProviderRepository, type ProviderRow } from './single-sign-on.repository.js';

/** Which provider of which tenant, as addresses of a sign-in name it before anybody has signed in. */
export interface ProviderName {
  tenantId: string;
  id: string;
}

export const signInIdOf = ({ tenantId, id }: ProviderName): string => packIds(tenantId, id);

/** @returns undefined for a text that names no provider */
export function parseSignInId(text: string): ProviderName | undefined {
  const [tenantId, id] = unpackIds(text, 2) ?? [];
  return tenantId && id ? { tenantId, id } : undefined;
}

/** One address per provider, so that answers cannot be swapped (RFC 9700, 4.4.2.2); not all state their issuer. */
export const redirectUriOf = (baseUrl: string, provider: ProviderName): string =>
  `${baseUrl}/api/auth/oidc/${signInIdOf(provider)}/callback`;

export const PROVIDERS_PER_TENANT = 10;
/** Times that a workspace has the documents of a provider read in an hour. */
export const DISCOVERIES_PER_HOUR = 60;

const NEW_PROVIDER = {
  clientId: null,
  sealedSecret: null,
  scopes: ['openid', 'email', 'profile'],
  enabled: false,
  defaultRoles: ['member'],
  requiresVerifiedEmail: true,
  secondFactorValues: [],
  lastFailure: null,
} satisfies Partial<ProviderRow>;

/** Identity providers as the owners of a workspace configure them. */
@Injectable()
export class IdentityProviderService {
  private readonly box: SecretBox;
  private readonly discoveries: Limiter;

  constructor(
    private readonly database: Database,
    private readonly providers: IdentityProviderRepository,
    private readonly tenants: TenantService,
    private readonly policies: SignInPolicyRepository,
    private readonly oidc: OidcClient,
    private readonly trail: AuditTrail,
    private readonly refusals: RefusedActs,
    private readonly roles: RoleService,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
    limits: LimiterStore,
  ) {
    this.box = new SecretBox(config.keyEncryptionKey);
    const rule = { name: 'provider-discovery', points: DISCOVERIES_PER_HOUR, windowSeconds: 3600 };
    this.discoveries = new Limiter(limits, rule, 'Too many attempts to set up identity providers. Try again later');
  }

  async list(tenantId: string): Promise<IdentityProvider[]> {
    return this.database.transaction(tenantId, (tx) => this.providers.list(tx));
  }

  /** @throws PlatformError NOT_FOUND */
  async get(tenantId: string, id: string): Promise<IdentityProvider> {
    return this.database.transaction(tenantId, async (tx) => assertFound(await this.providers.find(tx, id)));
  }

  /** A provider that users can sign in with; null for one that does not exist, is disabled or not complete. */
  async findUsable({ tenantId, id }: ProviderName): Promise<IdentityProvider | null> {
    const provider = await this.database.transaction(tenantId, (tx) => this.providers.find(tx, id));
    return provider?.enabled ? provider : null;
  }

  /**
   * @throws PlatformError EMAIL_NOT_VERIFIED, ROLE_NOT_GRANTABLE, CONFLICT for too many, RATE_LIMITED,
   *   SERVICE_UNAVAILABLE; VALIDATION_FAILED for a provider that cannot be used, with what is wrong
   */
  async create(principal: Principal, input: CreateIdentityProviderInput): Promise<IdentityProvider> {
    const { tenantId } = principal;
    const id = newId();
    const row = this.changed(tenantId, { ...NEW_PROVIDER, id, name: input.name, issuer: input.issuer }, input);
    assertComplete(row);
    const admitted = await this.admitRoles(principal, row.defaultRoles);
    await this.database.transaction(tenantId, async (tx) => this.assertProviderLimit(tx));
    const issuer = await this.discover(tenantId, row.issuer);
    await this.database.transaction(principal, async (tx) => {
      await this.assertProviderLimit(tx);
      await this.roles.hold(tx, tenantId, admitted);
      await this.providers.insert(tx, { ...row, issuer });
      this.record(tx, 'identity_provider.added', id, { issuer, enabled: row.enabled });
    });
    return this.get(tenantId, id);
  }

  /**
   * @throws PlatformError like create; NOT_FOUND; CONFLICT when it is the last one of a workspace that requires single sign-on
   */
  async change(principal: Principal, id: string, input: ChangeIdentityProviderInput): Promise<IdentityProvider> {
    const { tenantId } = principal;
    const before = await this.get(tenantId, id);
    const { tenantId: _tenant, createdAt: _created, updatedAt: _updated, ...row } = before;
    const after = this.changed(tenantId, row, input);
    assertComplete(after);
    const admitted = input.defaultRoles ? await this.admitRoles(principal, after.defaultRoles) : [];
    const isAnother = after.issuer !== before.issuer;
    if (isAnother || (after.enabled && !before.enabled)) after.issuer = await this.discover(tenantId, after.issuer);
    await this.database.transaction(principal, async (tx) => {
      // The one who changed it meanwhile is not overwritten: the checks above were made for what it was.
      const present = assertFound(await this.providers.lock(tx, id));
      if (present.updatedAt.getTime() !== before.updatedAt.getTime()) {
        throw new PlatformError('CONFLICT', 'Someone else changed the provider at the same time. Try again');
      }
      await this.roles.hold(tx, tenantId, admitted);
      await this.providers.update(tx, { ...after, lastFailure: null });
      if (before.enabled && !after.enabled) await this.assertWayIn(tx);
      const { issuer, enabled } = after;
      this.record(tx, 'identity_provider.changed', id, { issuer, enabled, changed: differences(before, after) });
    });
    return this.get(tenantId, id);
  }

  /** @throws PlatformError NOT_FOUND, CONFLICT like change */
  async remove(principal: Principal, id: string): Promise<void> {
    await this.database.transaction(principal, async (tx) => {
      const { issuer } = assertFound(await this.providers.lock(tx, id));
      await this.providers.delete(tx, id);
      await this.assertWayIn(tx);
      this.record(tx, 'identity_provider.removed', id, { issuer });
    });
  }

  /** Tells the owners why a sign-in failed: at the provider, and in the trail when it is for another reason than before. */
  async noteFailure(
    provider: IdentityProvider,
    { message, reason }: ProviderFailure,
    origin: RequestOrigin,
  ): Promise<void> {
    const { tenantId, id, lastFailure } = provider;
    const failure = { ...reason, message };
    const { at: _at, ...before } = lastFailure ?? { at: '', code: 'returned' };
    // What anybody can claim does not stand in place of what the provider says.
    if (reason.code === 'returned' && before.code !== 'returned') return;
    await this.database.transaction(tenantId, (tx) =>
      this.providers.noteFailure(tx, id, { at: new Date().toISOString(), ...failure }),
    );
    if (isDeepStrictEqual(before, failure)) return;
    const said = Object.entries(failure).filter((entry): entry is [string, string | number] => entry[1] !== null);
    const subject = { kind: 'identity_provider', id } as const;
    // Bounded: a browser says what it likes in the name of a provider.
    this.refusals.note(
      { ...origin, tenantId },
      {
        ...{ action: 'identity_provider.failed', outcome: 'failure', actor: SYSTEM, subject },
        detail: Object.fromEntries(said),
      },
    );
  }

  /** What a sign-in with a usable provider needs. */
  clientOf(provider: IdentityProvider): ProviderClient {
    const { tenantId, id, issuer, clientId, sealedSecret } = provider;
    if (clientId === null || sealedSecret === null) throw new Error('An enabled provider is not complete');
    return {
      tenantId,
      issuer,
      clientId,
      clientSecret: this.box.open(sealedSecret, contextOfProviderSecret(tenantId, id)),
      redirectUri: redirectUriOf(this.config.service.baseUrl, provider),
    };
  }

  /** @throws PlatformError ROLE_NOT_GRANTABLE, VALIDATION_FAILED, SERVICE_UNAVAILABLE */
  private admitRoles(principal: Principal, roles: readonly string[]): Promise<string[]> {
    assertGrantable(principal, roles);
    if (roles.includes('owner'))
      throw invalid('/defaultRoles', 'INVALID_VALUE', 'Only an owner can grant the role owner');
    return this.roles.admit(principal.tenantId, roles, '/defaultRoles');
  }

  private changed(tenantId: string, before: ProviderRow, input: ChangeIdentityProviderInput): ProviderRow {
    const { clientSecret, ...changes } = input;
    const after: ProviderRow = { ...before, ...withoutUndefined(changes) };
    const isAnother = after.issuer !== before.issuer;
    if (isAnother && clientSecret === undefined && before.sealedSecret) {
      throw invalid('/clientSecret', 'REQUIRED', 'Send the client secret together with a new issuer');
    }
    return {
      ...after,
      name: after.name.trim(),
      scopes: withOpenid(after.scopes),
      defaultRoles: [...new Set(after.defaultRoles)],
      secondFactorValues: [...new Set(after.secondFactorValues)],
      sealedSecret:
        clientSecret === undefined
          ? before.sealedSecret
          : this.box.seal(clientSecret, contextOfProviderSecret(tenantId, before.id)),
    };
  }

  private async discover(tenantId: string, issuer: string): Promise<string> {
    await this.discoveries.consume(tenantId);
    try {
      return await this.oidc.discover(tenantId, issuer);
    } catch (error) {
      if (error instanceof ProviderFailure) throw invalid('/issuer', 'DISCOVERY_FAILED', error.message, error);
      throw error;
    }
  }

  private record(tx: TenantTransaction, action: AuditAction, id: string, detail: AuditDetail): void {
    this.trail.record(tx, { action, subject: { kind: 'identity_provider', id }, detail });
  }

  private async assertProviderLimit(tx: TenantTransaction): Promise<void> {
    assertVerified(await this.tenants.view(tx));
    if ((await this.providers.list(tx)).length < PROVIDERS_PER_TENANT) return;
    throw new PlatformError('CONFLICT', `A workspace can have up to ${PROVIDERS_PER_TENANT} identity providers`);
  }

  /** A workspace that requires single sign-on keeps a provider to sign in with. */
  private async assertWayIn(tx: TenantTransaction): Promise<void> {
    if (!(await this.policies.read(tx)).singleSignOn) return;
    if ((await this.providers.list(tx)).some(({ enabled }) => enabled)) return;
    throw new PlatformError('CONFLICT', 'The workspace requires single sign-on and has no other provider');
  }
}

/** What the box of a row is bound to. */
export const contextOfProviderSecret = (tenantId: string, id: string): string => `identity_provider/${tenantId}/${id}`;

/** Names of the settings that a change has changed; of a secret, that it was given. */
function differences(before: IdentityProvider, after: ProviderRow): string[] {
  const names = Object.keys(after) as (keyof ProviderRow)[];
  const changed = names.filter((name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]));
  return changed.map((name) => (name === 'sealedSecret' ? 'clientSecret' : name));
}

const withOpenid = (scopes: readonly string[]): string[] => [...new Set(['openid', ...scopes])];

function withoutUndefined<T extends object>(changes: T): Partial<{ [K in keyof T]: Exclude<T[K], undefined> }> {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Partial<{ [K in keyof T]: Exclude<T[K], undefined> }>;
}

const invalid = (pointer: string, code: string, detail: string, cause?: unknown) =>
  new PlatformError('VALIDATION_FAILED', undefined, { errors: [{ pointer, code, detail }], cause });

/** @throws PlatformError VALIDATION_FAILED */
function assertComplete({ enabled, clientId, sealedSecret }: ProviderRow): void {
  if (enabled && (clientId === null || sealedSecret === null)) {
    throw invalid('/enabled', 'INCOMPLETE', 'Add a client ID and a client secret before you enable the provider');
  }
}

/** @throws PlatformError NOT_FOUND */
function assertFound(provider: IdentityProvider | null): IdentityProvider {
  if (!provider) throw new PlatformError('NOT_FOUND', 'Identity provider not found');
  return provider;
}
