import { ApplicationStrategy, type CredentialRequest } from '@crm/access';
import { bodyOf } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { DEVICE_TOKEN_HEADER, type SignInOutcome } from '../guesses/device-tokens.js';
import { SignInView } from '../sign-in/sign-in.dto.js';
import { OperatorSignInInput } from './operator.dto.js';
import { OperatorService } from './operator.service.js';

/** Proves by e-mail address and password which operator signs in; what is proven may still need a second factor. */
@Injectable()
export class OperatorPasswordStrategy extends ApplicationStrategy<SignInOutcome<SignInView>> {
  constructor(private readonly operators: OperatorService) {
    super();
  }

  /** @throws PlatformError VALIDATION_FAILED, WEAK_PASSWORD, INVALID_CREDENTIALS, RATE_LIMITED */
  override async validate({ body, headers, ip }: CredentialRequest): Promise<SignInOutcome<SignInView>> {
    const input = await bodyOf(OperatorSignInInput, body);
    const origin = { address: ip, userAgent: headers['user-agent'] ?? null };
    return this.operators.signIn(input, origin, headers[DEVICE_TOKEN_HEADER]);
  }
}
