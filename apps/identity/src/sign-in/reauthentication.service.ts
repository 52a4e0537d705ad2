import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { notingFailedProof, RefusedActs } from '../audit/refused-acts.js';
import type { User } from '../people/people.entity.js';
import { UserRepository } from '../people/user.repository.js';
import { RecentProof } from '../sessions/proof.service.js';
import { MfaService } from './mfa.service.js';
import { MfaRequestService, type MfaRequired } from './mfa-request.service.js';
import { PasswordService } from './password.service.js';
import { SignInLimit } from './sign-in-limit.js';

export interface Proof {
  /** A user who has none needs a recent proof of the session in its place. */
  password?: string;
  challengeId?: string;
  code?: string;
}

/** Has the user of a token prove again who they are, before a change of the account that a stolen token must not make. */
@Injectable()
export class ReauthenticationService {
  constructor(
    private readonly database: Database,
    private readonly users: UserRepository,
    private readonly passwords: PasswordService,
    private readonly limit: SignInLimit,
    private readonly requests: MfaRequestService,
    private readonly mfa: MfaService,
    private readonly refusals: RefusedActs,
    private readonly recent: RecentProof,
  ) {}

  /**
   * @returns the user, or what the second call must answer
   * @throws PlatformError INVALID_CREDENTIALS, STEP_UP_REQUIRED, RATE_LIMITED, SERVICE_UNAVAILABLE
   */
  async prove(principal: Principal, { password, challengeId, code }: Proof): Promise<User | MfaRequired> {
    const { tenantId, userId } = principal;
    const attempt = () =>
      this.limit.attempt(`reauthentication:${userId}`, userId, async () => {
        const found = await this.database.transaction(tenantId, (tx) => this.users.find(tx, userId));
        if (found?.passwordHash === null && password === undefined) {
          await this.recent.assert(principal);
          return found;
        }
        const right = password !== undefined && (await this.passwords.matches(found?.passwordHash, password, userId));
        if (!right || found?.status !== 'active') {
          throw new PlatformError('INVALID_CREDENTIALS', 'The password is wrong');
        }
        return found;
      });
    const user = await notingFailedProof(this.refusals, principal, userId, attempt);
    if (challengeId === undefined || code === undefined) {
      const demandOf = async () => ({ mailCode: user.mfaEnabled, enrolment: false });
      const needed = await this.requests.begin(user, 'reauthentication', demandOf);
      return needed !== null && isMfaRequired(needed) ? needed : user;
    }
    return this.limit.attempt(`challenge:${challengeId}`, userId, async () => {
      const proven = await this.mfa.verify('users', challengeId, code, ['reauthentication'], principal);
      if (proven.id !== userId || proven.tenantId !== tenantId) {
        throw new PlatformError('INVALID_CREDENTIALS', 'The code is wrong or no longer valid');
      }
      return user;
    });
  }
}

export const isMfaRequired = (outcome: object): outcome is MfaRequired => 'mfaRequired' in outcome;
