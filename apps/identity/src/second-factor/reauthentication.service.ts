import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { notingFailedProof, RefusedActs } from '../audit/refused-acts.js';
import { SignInLimit } from '../guesses/sign-in-limit.js';
import { PasswordService } from '../passwords/password.service.js';
import type { User } from '../people/people.entity.js';
import { UserRepository } from '../people/user.repository.js';
import { PersonSessionService } from '../sessions/person-session.service.js';
import { RecentProof } from '../sessions/recent-proof.js';
import { MfaService } from './mfa.service.js';
import { MfaRequestService, type MfaRequired } from './mfa-request.service.js';
import type { UserStepUpInput } from './second-factor.dto.js';

export const isMfaRequired = (outcome: object): outcome is MfaRequired => 'mfaRequired' in outcome;

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
    private readonly ofPerson: PersonSessionService,
  ) {}

  /**
   * @param admit refuses, once the password is right
   * @returns the user, or what the second call must answer where the second factor is on
   * @throws PlatformError INVALID_CREDENTIALS, STEP_UP_REQUIRED, RATE_LIMITED, SERVICE_UNAVAILABLE
   */
  async prove(
    principal: Principal,
    { password, challengeId, code }: UserStepUpInput,
    admit?: () => Promise<void>,
  ): Promise<User | MfaRequired> {
    const { tenantId, userId } = principal;
    const user = await notingFailedProof(this.refusals, principal, userId, () =>
      this.checkPassword('reauthentication', principal, password),
    );
    // What follows changes the person, for whom the provider of one workspace does not speak.
    if (user.passwordHash === null) await this.ofPerson.assertOfPerson(principal);
    await admit?.();
    if (challengeId === undefined || code === undefined) {
      const demandOf = async () => ({ mailCode: user.mfaEnabled, enrolment: false });
      const needed = await this.requests.begin(user, 'reauthentication', demandOf);
      return needed !== null && isMfaRequired(needed) ? needed : user;
    }
    return this.limit.attempt(`challenge:${challengeId}`, userId, async () => {
      const proven = await this.mfa.verify('users', challengeId, code, ['reauthentication'], principal);
      if (proven.id !== userId || proven.tenantId !== tenantId) throw wrongCode();
      return user;
    });
  }

  /** Like {@link prove}, for a change in every workspace of the person: no code of a weaker workspace is asked for. */
  proveForPerson(principal: Principal, proof: UserStepUpInput): Promise<User | MfaRequired> {
    return this.prove(principal, proof, () => this.ofPerson.assertSecondFactor(principal));
  }

  /**
   * @param purpose attempts are counted for each
   * @param password of the user, who needs a recent proof in its place where they have none
   * @throws PlatformError INVALID_CREDENTIALS, STEP_UP_REQUIRED, RATE_LIMITED, SERVICE_UNAVAILABLE
   */
  checkPassword(purpose: string, principal: Principal, password: string | undefined): Promise<User> {
    const { tenantId, userId } = principal;
    return this.limit.attempt(`${purpose}:${userId}`, userId, async () => {
      const user = await this.database.transaction(tenantId, (tx) => this.users.find(tx, userId));
      if (user?.passwordHash === null && password === undefined) {
        await this.recent.assert(principal);
        return user;
      }
      const right = password !== undefined && (await this.passwords.matches(user?.passwordHash, password, userId));
      if (!right || user?.status !== 'active') throw wrongPassword();
      return user;
    });
  }
}

export const wrongPassword = () => new PlatformError('INVALID_CREDENTIALS', 'The password is wrong');

export const wrongCode = () => new PlatformError('INVALID_CREDENTIALS', 'The code is wrong or has expired');
