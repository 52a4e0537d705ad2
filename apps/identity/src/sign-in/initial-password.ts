import { PlatformError } from '@crm/contracts';
import { Database, inWorkspace } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { AuditTrail, byUser } from '../audit/audit-trail.service.js';
import type { SignInUser } from '../people/people.repository.js';
import { UserRepository } from '../people/people.repository.js';
import { PersonRepository } from '../people/person.repository.js';
import { assertAnother, type PasswordOwner, PasswordPolicy, PasswordService } from './password.service.js';

export interface PasswordReplacement {
  readonly currentPassword: string;
  readonly newPassword: string;
}

/** Has anyone who signs in with a password that someone else chose replace it by one of their own. */
@Injectable()
export class InitialPasswords {
  constructor(
    private readonly passwords: PasswordService,
    private readonly policy: PasswordPolicy,
  ) {}

  /**
   * @param newPassword that a sign-in with a right password brings
   * @returns undefined where it brings none
   * @throws PlatformError VALIDATION_FAILED where the password is one of their own already
   */
  replacementOf(
    isInitial: boolean,
    password: string,
    newPassword: string | undefined,
  ): PasswordReplacement | undefined {
    if (newPassword === undefined) return undefined;
    if (!isInitial) throw refusal('NOT_INITIAL', 'You chose this password yourself. Sign in and change it there');
    return { currentPassword: password, newPassword };
  }

  /** @param source whose turn it is @throws PlatformError WEAK_PASSWORD, SERVICE_UNAVAILABLE */
  async hash(replacement: PasswordReplacement, owner: PasswordOwner, source: string): Promise<string> {
    const { currentPassword, newPassword } = replacement;
    assertAnother(currentPassword, newPassword);
    await this.policy.assertAcceptable(newPassword, owner, '/newPassword');
    return this.passwords.hash(newPassword, source);
  }
}

/** That a sign-in with an initial password has to bring one of their own. */
export const newPasswordRequired = () =>
  refusal('REQUIRED', 'Someone else chose this password. Choose your own with newPassword');

function refusal(code: string, detail: string): PlatformError {
  return new PlatformError('VALIDATION_FAILED', detail, { errors: [{ pointer: '/newPassword', code, detail }] });
}

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
