import { PlatformError } from '@crm/contracts';
import { Database, inWorkspace, type NarrowTransaction, newId } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { normaliseEmail } from '../../accounts/user/email-address.js';
import { SignInEmailRepository } from '../../accounts/user/sign-in-email.repository.js';
import type { User } from '../../accounts/user/user.entity.js';
import { UserRepository } from '../../accounts/user/user.repository.js';
import { UserService } from '../../accounts/user/user.service.js';
import type { EmbedClient } from '../embed-client/embed-client.entity.js';
import { EmbedUserRepository } from './embed-user.repository.js';

/** A host user as the host describes them. */
export interface HostUser {
  /** The host's own id of the user. */
  sub: string;
  email: string;
  name: string;
}

/** Finds, links or provisions the user of the tenant that a host user is. */
@Injectable()
export class EmbedUserService {
  constructor(
    private readonly database: Database,
    private readonly users: UserRepository,
    private readonly additions: UserService,
    private readonly emails: SignInEmailRepository,
    private readonly mapping: EmbedUserRepository,
  ) {}

  /**
   * - An address that belongs to another workspace is refused, whether the `sub` is known or not.
   * - A known `sub` is the user it is mapped to.
   * - A new `sub` whose address belongs to a user of the workspace is linked to them, if the app links by e-mail.
   * - Any other new `sub` becomes a member without a password.
   *
   * The user's row is held while it is read, so that the rights in the token are the ones stored.
   * @throws PlatformError EMBED_IDENTITY_CONFLICT, EMBED_USER_DISABLED
   */
  async resolve(client: EmbedClient, host: HostUser): Promise<User> {
    const userId = await this.userIdOf(client, { ...host, email: normaliseEmail(host.email) });
    const user = await this.database.transaction(client.tenantId, (tx) => this.users.lockForIssue(tx, userId));
    if (!user) throw new Error('A mapped user does not exist');
    if (user.status === 'disabled') throw new PlatformError('EMBED_USER_DISABLED');
    return user;
  }

  private async userIdOf({ tenantId, appKey, linkUsersBy }: EmbedClient, host: HostUser): Promise<string> {
    return inWorkspace(this.database, tenantId, async (tx) => {
      const known = await this.mapping.find(tx, tenantId, appKey, host.sub);
      const holder = await this.emails.find(tx, host.email);
      if (holder && holder.tenantId !== tenantId) throw new PlatformError('EMBED_IDENTITY_CONFLICT');
      if (known) return known;
      await this.mapping.lock(tx, tenantId, appKey, host.sub);
      const meanwhile = await this.mapping.find(tx, tenantId, appKey, host.sub);
      if (meanwhile) return meanwhile;
      const newcomer = newId();
      const claimed = await this.emails.claim(tx, host.email, { tenantId, userId: newcomer });
      if (claimed.tenantId !== tenantId) throw new PlatformError('EMBED_IDENTITY_CONFLICT');
      const userId = linkUsersBy === 'email' ? claimed.userId : newcomer;
      if (userId === newcomer) await this.provision(tx, tenantId, newcomer, host);
      await this.mapping.insert(tx, tenantId, appKey, host.sub, userId);
      return userId;
    });
  }

  /** Just in time, with the least role that can work with records. */
  private async provision(tx: NarrowTransaction, tenantId: string, id: string, host: HostUser): Promise<void> {
    await this.additions.addClaimed(tx, tenantId, {
      id,
      email: host.email,
      name: host.name,
      roles: ['member'],
      status: 'active',
      origin: 'embed',
      passwordHash: null,
    });
  }
}
