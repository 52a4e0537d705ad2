import { Limiter, LimiterStore } from '@crm/limits';
import { Injectable } from '@nestjs/common';
import { LocalPasswords } from '../passwords/local-passwords.js';
import { PasswordService } from '../passwords/password.service.js';
import { PasswordMarks } from '../passwords/password-marks.js';
import { PasswordPolicy } from '../passwords/password-policy.js';
import { normaliseEmail } from '../people/email-address.js';
import { TenantService } from '../people/tenant.service.js';
import type { UserInput } from './user.dto.js';

/** Passwords that the administrators of a tenant set in an hour: each is looked at and hashed. Others are invited. */
export const PASSWORDS_SET = { name: 'user-password', points: 300, windowSeconds: 3600 };

/** Passwords that administrators choose for the users whom they add. */
@Injectable()
export class ChosenPasswordService {
  private readonly limit: Limiter;

  constructor(
    private readonly passwords: PasswordService,
    private readonly marks: PasswordMarks,
    private readonly policy: PasswordPolicy,
    private readonly localPasswords: LocalPasswords,
    private readonly tenants: TenantService,
    limits: LimiterStore,
  ) {
    this.limit = new Limiter(limits, PASSWORDS_SET, 'Too many users were added with a password. Invite them instead');
  }

  get areInitial(): boolean {
    return this.localPasswords.areInitial;
  }

  /** The body of a call as idempotency compares it: without the password. */
  marked(addition: UserInput) {
    return { ...addition, password: addition.password && this.marks.of(addition.password) };
  }

  /** Tenants take turns, so that one that adds many users does not keep those of others from signing in. */
  async hash(tenantId: string, addition: UserInput): Promise<{ hash: string; key: Buffer } | undefined> {
    const { email, password } = addition;
    if (password === undefined) return undefined;
    await this.localPasswords.assertAllowed(tenantId);
    await this.limit.consume(tenantId);
    const workspace = (await this.tenants.get(tenantId)).name;
    await this.policy.assertAcceptable(password, { ...addition, workspace });
    const hash = await this.passwords.hash(password, tenantId);
    return { hash, key: await this.passwords.claimKey(normaliseEmail(email), password, tenantId) };
  }
}
