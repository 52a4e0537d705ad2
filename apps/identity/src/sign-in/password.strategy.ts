import { ApplicationStrategy, type CredentialRequest } from '@crm/access';
import type { ErrorCode } from '@crm/contracts';
import { bodyOf } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { DEVICE_TOKEN_HEADER } from '../guesses/device-tokens.js';
import { UserInitialPasswords } from '../passwords/user-initial-passwords.js';
import { SignInInput } from './sign-in.dto.js';
import { type AuthenticatedUser, SignInService } from './sign-in.service.js';

/** Why a right password does not sign in. */
export const ADMISSION: readonly ErrorCode[] = ['SINGLE_SIGN_ON_REQUIRED', 'WORKSPACE_SUSPENDED', 'RATE_LIMITED'];

@Injectable()
export class PasswordStrategy extends ApplicationStrategy<AuthenticatedUser> {
  constructor(
    private readonly signIns: SignInService,
    private readonly initialPasswords: UserInitialPasswords,
  ) {
    super();
  }

  /** @throws PlatformError VALIDATION_FAILED, WEAK_PASSWORD, INVALID_CREDENTIALS, RATE_LIMITED */
  override async validate({ body, ip, headers, callContext }: CredentialRequest): Promise<AuthenticatedUser> {
    const input = await bodyOf(SignInInput, body);
    const { requestId, traceparent } = callContext ?? {};
    const origin = { address: ip, userAgent: headers['user-agent'] ?? null, requestId, traceparent };
    const user = await this.signIns.authenticate(input, origin, headers[DEVICE_TOKEN_HEADER]);
    return this.initialPasswords.replace(user, input, origin.address);
  }
}
