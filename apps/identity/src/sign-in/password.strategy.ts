import { ApplicationStrategy, type CredentialRequest } from '@crm/access';
import { bodyOf } from '@crm/http';
import { Injectable } from '@nestjs/common';
import type { SignInUser } from '../people/user.repository.js';
import { DEVICE_TOKEN_HEADER } from './device-tokens.js';
import { SignInInput } from './sign-in.dto.js';
import { SignInService } from './sign-in.service.js';

/** Proves by e-mail address and password who signs in. */
@Injectable()
export class PasswordStrategy extends ApplicationStrategy<SignInUser> {
  constructor(private readonly signIns: SignInService) {
    super();
  }

  /** @throws PlatformError VALIDATION_FAILED, INVALID_CREDENTIALS, RATE_LIMITED */
  override async validate({ body, ip, headers, callContext }: CredentialRequest): Promise<SignInUser> {
    const { email, password } = await bodyOf(SignInInput, body);
    const { requestId, traceparent } = callContext ?? {};
    const origin = { address: ip, userAgent: headers['user-agent'] ?? null, requestId, traceparent };
    return this.signIns.authenticate(email, password, origin, headers[DEVICE_TOKEN_HEADER]);
  }
}
