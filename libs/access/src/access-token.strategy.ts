import { type Audience, PlatformError } from '@crm/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { ACCESS_OPTIONS, type AccessOptions } from './access-options.js';
import { ApplicationStrategy } from './application.strategy.js';
import type { AuthenticatedCall } from './authenticated-call.js';
import { bearerToken } from './bearer.js';
import type { Principal } from './principal.js';
import { TokenVerifier } from './token-verifier.js';

/** Authenticates a call by the access token in the `Authorization` header. */
@Injectable()
export class AccessTokenStrategy extends ApplicationStrategy<Principal> {
  private readonly audiences: readonly Audience[];

  constructor(
    private readonly verifier: TokenVerifier,
    @Inject(ACCESS_OPTIONS) options: AccessOptions,
  ) {
    super();
    this.audiences = options.audiences;
  }

  /** @throws PlatformError UNAUTHENTICATED, TOKEN_EXPIRED, TOKEN_REVOKED; SERVICE_UNAVAILABLE while keys or cut-offs are missing */
  override async validate(call: AuthenticatedCall): Promise<Principal> {
    const token = bearerToken(call.headers.authorization);
    if (token === undefined) throw new PlatformError('UNAUTHENTICATED');
    return this.verifier.verify(token, call.audiences ?? this.audiences);
  }

  /**
   * The principal of a token that was verified before, at once; undefined when the token has to be verified.
   * @throws PlatformError as {@link validate}
   */
  recall(call: AuthenticatedCall): Principal | undefined {
    return this.verifier.recallFrom(call.headers.authorization, call.audiences ?? this.audiences);
  }
}
