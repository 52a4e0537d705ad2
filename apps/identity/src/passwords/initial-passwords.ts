import { PlatformError } from '@crm/contracts';
import { Injectable } from '@nestjs/common';
import { PasswordService } from './password.service.js';
import { assertAnother, type PasswordOwner, PasswordPolicy } from './password-policy.js';

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
