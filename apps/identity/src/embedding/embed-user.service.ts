import { mayGrantRole, PlatformError } from '@crm/contracts';
import { DAY_SECONDS, Database, inWorkspace, type NarrowTransaction, newId, takeQuota } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import type { AuditAction } from '../audit/audit-actions.js';
import { AuditTrail, appActor, type NewAuditEntry } from '../audit/audit-trail.service.js';
import { notingRefusal, RefusedActs } from '../audit/refused-acts.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import type { User } from '../people/people.entity.js';
import { TenantRepository, UserRepository } from '../people/people.repository.js';
import { assertVerified, UserService } from '../people/people.service.js';
import { PersonRepository } from '../people/person.repository.js';
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
    private readonly persons: PersonRepository,
    private readonly mapping: EmbedUserRepository,
    private readonly tenants: TenantRepository,
    private readonly conflicts: EmbedConflictService,
    private readonly links: EmbedLinkService,
    private readonly trail: AuditTrail,
    private readonly refusals: RefusedActs,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  /**
   * - An address that a person of other workspaces has proven, or that one has given up, is refused and counted. What others
   *   have claimed without proof counts for nothing here, and is not told.
   * - A `sub` with the address of a user whom no host has brought is linked to them, if the app links by e-mail and they have not
   *   undone such a link.
   * - Any other `sub` becomes a member of its own without a password, and without an address where another user has it.
   *
   * @throws PlatformError EMBED_IDENTITY_CONFLICT, ROLE_NOT_GRANTABLE, EMAIL_NOT_VERIFIED, RATE_LIMITED
   */
  async introduce(client: MintClient, host: HostUser): Promise<void> {
    await this.counting(client, (tx) => this.link(tx, client, host));
  }

  /**
   * Gives a user whom the host has brought the name, and the address if it is free, that the host says now.
   * @throws PlatformError EMBED_IDENTITY_CONFLICT, RATE_LIMITED
   */
  async follow(client: MintClient, userId: string, { email, name }: HostUser): Promise<void> {
    const { tenantId } = client;
    await this.counting(client, async (tx) => {
      // With the address that they have always had they are minted for, no matter who has proven it elsewhere since.
      const isMoved = email !== (await this.users.findContact(tx, tenantId, userId))?.email;
      if (isMoved && (await this.belongsElsewhere(tx, tenantId, email))) throw new BelongsElsewhere();
      const isFree = isMoved && (await this.additions.isFree(tx, tenantId, email));
      await this.users.followHost(tx, { tenantId, userId }, { name, ...(isFree && { email }) });
    });
  }

  private async counting(client: MintClient, work: (tx: NarrowTransaction) => Promise<void>): Promise<void> {
    try {
      await inWorkspace(this.database, client.tenantId, work);
    } catch (error) {
      throw error instanceof BelongsElsewhere ? await this.conflicts.count(client) : error;
    }
  }

  /**
   * A link by address is the word of a host, which has no roles above those of the one who issued its credentials (decision record 0233).
   * @throws PlatformError ROLE_NOT_GRANTABLE
   */
  assertReached({ tenantId, appKey, issuerRoles }: MintClient, { id, roles }: Pick<User, 'id' | 'roles'>): void {
    const granting = [...(issuerRoles ?? []), PROVISIONED_ROLE];
    if (roles.every((role) => mayGrantRole(granting, role))) return;
    this.refusals.note({ tenantId }, { ...linkMade(appKey, id), outcome: 'failure' }, 'once');
    throw new PlatformError(
      'ROLE_NOT_GRANTABLE',
      'The user has a role higher than those of the user who issued the credentials',
    );
  }

  /** @throws BelongsElsewhere, which rolls the transaction back */
  private async link(tx: NarrowTransaction, client: MintClient, host: HostUser): Promise<void> {
    const { tenantId, appKey, linkUsersBy } = client;
    const tenant = await this.tenants.findAsNarrow(tx, tenantId);
    assertVerified({ verified: tenant?.verifiedAt !== null });
    await this.conflicts.assertLeft(tx, client);
    await this.mapping.lock(tx, tenantId, appKey, host.sub);
    if (await this.mapping.find(tx, tenantId, appKey, host.sub)) return;
    if (await this.belongsElsewhere(tx, tenantId, host.email)) throw new BelongsElsewhere();
    const known = linkUsersBy === 'email' ? await this.users.findByEmail(tx, tenantId, host.email) : null;
    if (known && !(await this.mapping.hasUndone(tx, tenantId, appKey, known.userId))) {
      const user = await this.users.findContact(tx, tenantId, known.userId);
      if (!user) throw new Error('A user who was found does not exist');
      this.assertReached(client, user);
      await this.links.linkByAddress(tx, client, host.sub, user);
      this.trail.record(tx, linkMade(appKey, user.id));
      return;
    }
    // Just in time.
    const newcomer = newId();
    const rights = {
      roles: [PROVISIONED_ROLE],
      status: 'active' as const,
      origin: 'embed' as const,
      passwordHash: null,
    };
    await this.additions.addHostUser(tx, tenantId, { id: newcomer, email: host.email, name: host.name, ...rights });
    await this.mapping.insert(tx, tenantId, appKey, host.sub, newcomer);
    this.trail.record(tx, byHost('user.provisioned', appKey, newcomer));
    const limit = this.config.quotas.hostUsers[tenant?.plan ?? 'developer'];
    // Last: others of the workspace who are provisioned wait from here on.
    const quota = { name: 'host-users', limit, windowSeconds: DAY_SECONDS, what: 'new host users' };
    await notingRefusal(this.refusals, { tenantId }, quota, () => takeQuota(tx, tenantId, quota));
  }

  /** Holds the address until the transaction ends. Anyone who has it next is not the person who gave it up. */
  private async belongsElsewhere(tx: NarrowTransaction, tenantId: string, email: string): Promise<boolean> {
    await this.persons.holdAddress(tx, email);
    const proven = await this.persons.findAddress(tx, email);
    if (!proven || proven.isReserved) return proven !== null;
    return (await this.persons.memberOf(tx, proven.personId, tenantId)) === null;
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

/** The address belongs to a person of other workspaces, or is kept for one who has given it up. */
class BelongsElsewhere extends Error {}
