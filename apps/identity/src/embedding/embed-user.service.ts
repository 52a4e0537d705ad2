import { mayGrantRole, PlatformError } from '@crm/contracts';
import { DAY_SECONDS, Database, inWorkspace, type NarrowTransaction, newId, takeQuota } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import type { AuditAction } from '../audit/audit-actions.js';
import { AuditTrail, appActor, type NewAuditEntry } from '../audit/audit-trail.service.js';
import { notingRefusal, RefusedActs } from '../audit/refused-acts.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { SignInEmailRepository } from '../people/email.repository.js';
import type { User } from '../people/people.entity.js';
import { TenantRepository, UserRepository } from '../people/people.repository.js';
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

/** The least that can work with records. A host can have it for anybody, so a link by address always reaches it. */
const PROVISIONED_ROLE = 'member';

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
   * @throws PlatformError EMBED_IDENTITY_CONFLICT, ROLE_NOT_GRANTABLE, EMAIL_NOT_VERIFIED, RATE_LIMITED
   */
  async introduce(client: MintClient, host: HostUser): Promise<void> {
    try {
      await inWorkspace(this.database, client.tenantId, (tx) => this.link(tx, client, host));
    } catch (error) {
      throw error instanceof BelongsElsewhere ? await this.conflicts.count(client) : error;
    }
  }

  /**
   * A link by address is the word of a host, which has no roles above those of whoever issued its credentials (decision record 0233).
   * @throws PlatformError ROLE_NOT_GRANTABLE
   */
  assertReached({ tenantId, appKey, issuerRoles }: MintClient, { id, roles }: Pick<User, 'id' | 'roles'>): void {
    const granting = [...(issuerRoles ?? []), PROVISIONED_ROLE];
    if (roles.every((role) => mayGrantRole(granting, role))) return;
    this.refusals.note({ tenantId }, { ...linkMade(appKey, id), outcome: 'failure' }, 'once');
    throw new PlatformError('ROLE_NOT_GRANTABLE', 'The user has a role above those of whoever issued the credentials');
  }

  /** @throws BelongsElsewhere, which rolls the transaction back */
  private async link(tx: NarrowTransaction, client: MintClient, host: HostUser): Promise<void> {
    const { tenantId, appKey, linkUsersBy } = client;
    const tenant = await this.tenants.findAsNarrow(tx, tenantId);
    assertVerified({ verified: tenant?.verifiedAt !== null });
    await this.conflicts.assertLeft(tx, client);
    await this.mapping.lock(tx, tenantId, appKey, host.sub);
    if (await this.mapping.find(tx, tenantId, appKey, host.sub)) return;
    const newcomer = newId();
    const claimed = await this.emails.claim(tx, host.email, { tenantId, userId: newcomer });
    // Whoever has an address next is not the user who gave it up.
    if (claimed.tenantId !== tenantId || claimed.isReserved) throw new BelongsElsewhere();
    const userId = linkUsersBy === 'email' ? claimed.userId : newcomer;
    if (userId !== newcomer) {
      const user = await this.users.findContact(tx, tenantId, userId);
      if (!user) throw new Error('A user with an address for sign-in does not exist');
      this.assertReached(client, user);
      await this.links.linkByAddress(tx, client, host.sub, user);
      this.trail.record(tx, linkMade(appKey, userId));
      return;
    }
    // Just in time.
    const rights = {
      roles: [PROVISIONED_ROLE],
      status: 'active' as const,
      origin: 'embed' as const,
      passwordHash: null,
    };
    await this.additions.addClaimed(tx, tenantId, { id: newcomer, email: host.email, name: host.name, ...rights });
    await this.mapping.insert(tx, tenantId, appKey, host.sub, newcomer);
    this.trail.record(tx, byHost('user.provisioned', appKey, newcomer));
    const limit = this.config.quotas.hostUsers[tenant?.plan ?? 'developer'];
    // Last: others of the workspace who are provisioned wait from here on.
    const quota = { name: 'host-users', limit, windowSeconds: DAY_SECONDS, what: 'new host users' };
    await notingRefusal(this.refusals, { tenantId }, quota, () => takeQuota(tx, tenantId, quota));
  }
}

/** The host acts: nobody else has proven anything. */
const byHost = (action: AuditAction, appKey: string, userId: string): NewAuditEntry => ({
  action,
  actor: appActor(appKey),
  subject: { kind: 'user', id: userId },
  detail: { appKey },
});

const linkMade = (appKey: string, userId: string) => byHost('embed_link.made', appKey, userId);

/** The address belongs to a user of another workspace, or is kept for a user who has given it up. */
class BelongsElsewhere extends Error {}
