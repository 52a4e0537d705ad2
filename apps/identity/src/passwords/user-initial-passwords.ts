import { PlatformError } from '@crm/contracts';
import { Database, inWorkspace } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { AuditTrail, byUser } from '../audit/audit-trail.service.js';
import { PersonRepository } from '../people/person.repository.js';
import type { SignInUser } from '../people/user.repository.js';
import { UserRepository } from '../people/user.repository.js';
import { InitialPasswords } from './initial-passwords.js';
import { PasswordService } from './password.service.js';

/** Passwords that administrators of a workspace have chosen. */
@Injectable()
export class UserInitialPasswords {
  constructor(
    private readonly database: Database,
    private readonly users: UserRepository,
    private readonly persons: PersonRepository,
    private readonly passwords: PasswordService,
    private readonly initial: InitialPasswords,
    private readonly trail: AuditTrail,
  ) {}

  /**
   * @param user who has proven the present password
   * @returns as they are afterwards: with an initial password still where no new one came with it
   * @throws PlatformError VALIDATION_FAILED, WEAK_PASSWORD, SERVICE_UNAVAILABLE, INVALID_CREDENTIALS when someone else was faster
   */
  async replace<Proven extends SignInUser>(
    user: Proven,
    { password, newPassword }: { readonly password: string; readonly newPassword?: string | undefined },
    source: string,
  ): Promise<Proven> {
    const replacement = this.initial.replacementOf(user.initialPassword, password, newPassword);
    if (!replacement) return user;
    const { tenantId, id: userId, email } = user;
    const { name } = await this.database.transaction(tenantId, (tx) => this.users.get(tx, userId));
    const passwordHash = await this.initial.hash(replacement, { email, name }, source);
    const passwordKey = await this.passwords.claimKey(email, replacement.newPassword, source);
    await inWorkspace(this.database, tenantId, async (tx) => {
      await this.persons.holdAddress(tx, email);
      await this.users.hold(tx, tenantId, userId);
      const present = await this.users.readPassword(tx, tenantId, userId);
      if (present !== user.passwordHash) throw new PlatformError('INVALID_CREDENTIALS');
      await this.users.setPassword(tx, { tenantId, userId }, passwordHash);
      await this.persons.changeLocal(tx, userId, { passwordKey });
      this.trail.record(tx, byUser('password.changed', userId, { initial: true }));
    });
    return { ...user, passwordHash, initialPassword: false };
  }
}
