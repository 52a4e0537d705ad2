import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { isMfaRequired, ReauthenticationService } from '../../accounts/reauthentication/reauthentication.service.js';
import { UserRepository } from '../../accounts/user/user.repository.js';
import { ProofWays } from '../../sessions/session/proof-ways.js';
import { AuthenticatorService } from '../authenticator/authenticator.service.js';
import type { MfaRequired } from '../mfa/mfa-request.service.js';
import { type Proof, StepUpService } from './step-up.service.js';

export interface UserProof extends Proof {
  /** Of the answer to the first call, where the second factor is a code by mail. */
  challengeId?: string;
}

/** Proves within a session of a user who uses it. */
@Injectable()
export class UserStepUpService {
  constructor(
    private readonly database: Database,
    private readonly users: UserRepository,
    private readonly authenticators: AuthenticatorService,
    private readonly stepUps: StepUpService,
    private readonly reauthentication: ReauthenticationService,
    private readonly ways: ProofWays,
  ) {}

  /**
   * Notes the proof at the session. Where the second factor is a code by mail, the password alone is none: it could set up an
   * authenticator in the place of the mail.
   * @returns what the second call must answer, when nothing was noted yet
   * @throws PlatformError INVALID_CREDENTIALS, RATE_LIMITED; FORBIDDEN for a token without a session
   */
  async prove(principal: Principal, proof: UserProof): Promise<MfaRequired | undefined> {
    const { tenantId, userId } = principal;
    const [user, hasAuthenticator] = await this.database.transaction(tenantId, (tx) =>
      Promise.all([this.users.find(tx, userId), this.authenticators.isInUse(tx, userId)]),
    );
    if (hasAuthenticator || !user?.mfaEnabled) {
      await this.stepUps.prove(principal, proof, async (tx, id) => (await this.users.find(tx, id))?.passwordHash);
      return undefined;
    }
    const { password, ...answer } = proof;
    const outcome = await this.ways.explaining(tenantId, userId, async () => {
      if (password === undefined) throw new PlatformError('INVALID_CREDENTIALS', 'The password is required');
      return this.reauthentication.prove(principal, { password, ...answer });
    });
    if (isMfaRequired(outcome)) return outcome;
    await this.stepUps.note(principal);
    return undefined;
  }
}
