import { ApplicationStrategy, type CredentialRequest } from '@crm/access';
import { rpc, type TokenPair } from '@crm/contracts';
import { bodyOf } from '@crm/http';
import { SignInInput } from '@crm/identity-views';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';

/**
 * Authenticates an operator by e-mail address and password. identity keeps the passwords, counts the failures by account and
 * by the address passed here, and answers with tokens, so what is proven is the tokens.
 */
@Injectable()
export class OperatorPasswordStrategy extends ApplicationStrategy<TokenPair> {
  constructor(private readonly rpc: Rpc) {
    super();
  }

  /** @throws PlatformError VALIDATION_FAILED, INVALID_CREDENTIALS, RATE_LIMITED */
  override async validate({ body, ip }: CredentialRequest): Promise<TokenPair> {
    const { email, password } = await bodyOf(SignInInput, body);
    return this.rpc.call(rpc.identity.loginOperator, { email, password, address: ip });
  }
}
