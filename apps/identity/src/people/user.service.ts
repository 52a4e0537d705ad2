import { EVENTS, PlatformError } from '@crm/contracts';
import { appendEvent, type NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { SignInEmailRepository } from './sign-in-email.repository.js';
import { type NewUser, UserRepository } from './user.repository.js';

/** Adds users. The address, the user and the event commit together or not at all. */
@Injectable()
export class UserService {
  constructor(
    private readonly users: UserRepository,
    private readonly emails: SignInEmailRepository,
  ) {}

  /**
   * Adds a user with the address that they sign in with.
   * @param tx in the context of the tenant
   * @throws PlatformError EMAIL_TAKEN
   */
  async add(tx: NarrowTransaction, tenantId: string, user: NewUser): Promise<void> {
    const holder = await this.emails.claim(tx, user.email, { tenantId, userId: user.id });
    if (holder.userId !== user.id) throw new PlatformError('EMAIL_TAKEN');
    await this.addClaimed(tx, tenantId, user);
  }

  /** Adds a user for whom the address has been claimed in the same transaction, or waits to be verified. */
  async addClaimed(tx: NarrowTransaction, tenantId: string, user: NewUser): Promise<void> {
    await this.users.insert(tx, tenantId, user);
    await appendEvent(tx, EVENTS['user.created'], {
      tenantId,
      subject: user.id,
      data: { userId: user.id, email: user.email, name: user.name },
    });
  }
}
