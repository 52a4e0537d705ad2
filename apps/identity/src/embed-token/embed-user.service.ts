import { EVENTS, PlatformError } from '@crm/contracts';
import { appendEvent, Database, newId, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { EmbedClient } from '../embed-client/embed-client.repository.js';
import { normaliseEmail } from '../user/email-address.js';
import type { User } from '../user/user.entity.js';
import { UserRepository } from '../user/user.repository.js';
import { EmbedUserRepository } from './embed-user.repository.js';

/** Somebody as the host describes them. */
export interface HostUser {
  /** The host's own id of the user. */
  sub: string;
  email: string;
  name: string;
}

/** Finds, links or provisions the user of the app's workspace that a host's user is. */
@Injectable()
export class EmbedUserService {
  constructor(
    private readonly database: Database,
    private readonly users: UserRepository,
    private readonly mapping: EmbedUserRepository,
  ) {}

  /**
   * - An address that belongs to another workspace is refused, whether the `sub` is known or not.
   * - A known `sub` is the user it is mapped to.
   * - A new `sub` whose address belongs to a user of the workspace is linked to them, if the app links by e-mail.
   * - Any other new `sub` becomes a member without a password.
   *
   * The user's row is held until the transaction ends, so that the rights in the token are the ones stored.
   * @throws PlatformError EMBED_IDENTITY_CONFLICT, EMBED_USER_DISABLED
   */
  async resolve(client: EmbedClient, host: HostUser): Promise<User> {
    return this.database.transaction(client.tenantId, async (tx) => {
      await this.mapping.lock(tx, client.appKey, host.sub);
      const userId = await this.userIdOf(tx, client, { ...host, email: normaliseEmail(host.email) });
      const user = await this.users.findForIssue(tx, userId);
      if (!user) throw new Error('A mapped user does not exist');
      if (user.status === 'disabled') throw new PlatformError('EMBED_USER_DISABLED');
      return user;
    });
  }

  private async userIdOf(tx: TenantTransaction, client: EmbedClient, host: HostUser): Promise<string> {
    const known = await this.mapping.find(tx, client.appKey, host.sub);
    if (known) {
      if (await this.users.isEmailElsewhere(tx, host.email)) throw new PlatformError('EMBED_IDENTITY_CONFLICT');
      return known;
    }
    const newcomer = newId();
    const claim = await this.users.claimEmail(tx, host.email, newcomer);
    if (claim.outcome === 'other_tenant') throw new PlatformError('EMBED_IDENTITY_CONFLICT');
    const linked = claim.outcome === 'same_tenant' && client.linkUsersBy === 'email' ? claim.holder : undefined;
    if (!linked) await this.provision(tx, newcomer, host);
    const userId = linked ?? newcomer;
    await this.mapping.link(tx, client.appKey, host.sub, userId);
    return userId;
  }

  /** Just in time: the least that can work with records. */
  private async provision(tx: TenantTransaction, id: string, host: HostUser): Promise<void> {
    await this.users.insert(tx, {
      id,
      email: host.email,
      name: host.name,
      roles: ['member'],
      status: 'active',
      origin: 'embed',
      passwordHash: null,
    });
    await appendEvent(tx, EVENTS['user.created'], {
      subject: id,
      data: { userId: id, email: host.email, name: host.name },
    });
  }
}
