import { ApplicationStrategy, type CredentialRequest } from '@crm/access';
import { rpc, type TokenPair } from '@crm/contracts';
import { bodyOf, SignInInput } from '@crm/http';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';

/**
 * Proves by e-mail address and password that an operator signs in. identity keeps the passwords, counts the failures by
 * account and by the address given here, and answers with tokens, so these are what is proven.
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
