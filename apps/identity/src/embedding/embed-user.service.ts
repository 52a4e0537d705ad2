import { PlatformError } from '@crm/contracts';
import { DAY_SECONDS, Database, inWorkspace, type NarrowTransaction, newId, takeQuota } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import type { AuditAction } from '../audit/audit-actions.js';
import { AuditTrail, appActor } from '../audit/audit-trail.service.js';
import { notingRefusal, RefusedActs } from '../audit/refused-acts.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { SignInEmailRepository } from '../people/email.repository.js';
import { type IssueUser, TenantRepository, UserRepository } from '../people/people.repository.js';
import { assertVerified, UserService } from '../people/people.service.js';
import { EmbedConflictService } from './embed-conflict.service.js';
import { EmbedLinkService } from './embed-link.service.js';
import type { MintClient } from './embedding.entity.js';
import { EmbedUserRepository } from './embedding.repository.js';

/** A host user as the host describes them. */
export interface HostUser {
  /** The host's own id of the user. */
  sub: string;
  /** Normalised. */
  email: string;
  name: string;
}

/** Links or provisions the user of the tenant that a host user becomes at the first mint. */
@Injectable()
export class EmbedUserService {
  constructor(
    private readonly database: Database,
    private readonly users: UserRepository,
    private readonly additions: UserService,
    private readonly emails: SignInEmailRepository,
    private readonly mapping: EmbedUserRepository,
    private readonly tenants: TenantRepository,
    private readonly conflicts: EmbedConflictService,
    private readonly links: EmbedLinkService,
    private readonly trail: AuditTrail,
    private readonly refusals: RefusedActs,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  /**
   * - An address that belongs to another workspace, or that a user has given up, is refused and counted.
   * - A `sub` whose address belongs to a user of the workspace is linked to them, if the app links by e-mail.
   * - Any other `sub` becomes a member without a password.
   *
   * The user's row is held while it is read, so that the rights in the token are the ones stored.
   * @throws PlatformError EMBED_IDENTITY_CONFLICT, EMBED_USER_DISABLED, EMAIL_NOT_VERIFIED, RATE_LIMITED
   */
  async introduce(client: MintClient, host: HostUser): Promise<IssueUser> {
    const userId = await this.introducedId(client, host);
    const user = await this.database.transaction(client.tenantId, (tx) => this.users.lockForIssue(tx, userId));
    // No user: erased since the mapping was read.
    if (!user || user.status === 'disabled') throw new PlatformError('EMBED_USER_DISABLED');
    return user;
  }

  private async introducedId(client: MintClient, host: HostUser): Promise<string> {
    try {
      return await inWorkspace(this.database, client.tenantId, (tx) => this.link(tx, client, host));
    } catch (error) {
      throw error instanceof BelongsElsewhere ? await this.conflicts.count(client) : error;
    }
  }

  /** @throws BelongsElsewhere, which rolls the transaction back */
  private async link(tx: NarrowTransaction, client: MintClient, host: HostUser): Promise<string> {
    const { tenantId, appKey, linkUsersBy } = client;
    const tenant = await this.tenants.findAsNarrow(tx, tenantId);
    assertVerified({ verified: tenant?.verifiedAt !== null });
    await this.conflicts.assertLeft(tx, client);
    await this.mapping.lock(tx, tenantId, appKey, host.sub);
    const meanwhile = await this.mapping.find(tx, tenantId, appKey, host.sub);
    if (meanwhile) return meanwhile;
    const newcomer = newId();
    const claimed = await this.emails.claim(tx, host.email, { tenantId, userId: newcomer });
    // Whoever has an address next is not the user who gave it up.
    if (claimed.tenantId !== tenantId || claimed.isReserved) throw new BelongsElsewhere();
    const userId = linkUsersBy === 'email' ? claimed.userId : newcomer;
    if (userId !== newcomer) {
      await this.links.linkByAddress(tx, client, host.sub, userId);
      this.record(tx, 'embed_link.made', appKey, userId);
      return userId;
    }
    // Just in time, with the least role that can work with records.
    const rights = { roles: ['member'], status: 'active' as const, origin: 'embed' as const, passwordHash: null };
    await this.additions.addClaimed(tx, tenantId, { id: newcomer, email: host.email, name: host.name, ...rights });
    await this.mapping.insert(tx, tenantId, appKey, host.sub, newcomer);
    this.record(tx, 'user.provisioned', appKey, newcomer);
    const limit = this.config.quotas.hostUsers[tenant?.plan ?? 'developer'];
    // Last: others of the workspace who are provisioned wait from here on.
    const quota = { name: 'host-users', limit, windowSeconds: DAY_SECONDS, what: 'new host users' };
    await notingRefusal(this.refusals, { tenantId }, quota, () => takeQuota(tx, tenantId, quota));
    return newcomer;
  }

  /** The host acts: nobody else has proven anything. */
  private record(tx: NarrowTransaction, action: AuditAction, appKey: string, userId: string): void {
    const subject = { kind: 'user', id: userId } as const;
    this.trail.record(tx, { action, actor: appActor(appKey), subject, detail: { appKey } });
  }
}

/** The address belongs to a user of another workspace, or is kept for a user who has given it up. */
class BelongsElsewhere extends Error {}
