import { ApplicationStrategy, type CredentialRequest } from '@crm/access';
import { type OperatorSignIn, rpc } from '@crm/contracts';
import { bodyOf } from '@crm/http';
import { DEVICE_TOKEN_HEADER, SignInInput } from '@crm/identity-views';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';

/**
 * Authenticates an operator by e-mail address and password. identity keeps the passwords, counts the failures by account and
 * by the address passed here, and answers with tokens or with what the sign-in still needs, so that is what is proven.
 */
@Injectable()
export class OperatorPasswordStrategy extends ApplicationStrategy<OperatorSignIn> {
  constructor(private readonly rpc: Rpc) {
    super();
  }

  /** @throws PlatformError VALIDATION_FAILED, INVALID_CREDENTIALS, RATE_LIMITED */
  override async validate({ body, headers, ip }: CredentialRequest): Promise<OperatorSignIn> {
    const { email, password } = await bodyOf(SignInInput, body);
    const userAgent = headers['user-agent'] ?? null;
    const deviceToken = headers[DEVICE_TOKEN_HEADER];
    return this.rpc.call(rpc.identity.loginOperator, {
      email,
      password,
      address: ip,
      userAgent,
      ...(deviceToken !== undefined && { deviceToken }),
    });
  }
}
