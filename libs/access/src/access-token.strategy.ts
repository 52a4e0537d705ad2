import type { Principal } from '@crm/context';
import { type Audience, PlatformError } from '@crm/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { ACCESS_OPTIONS, type AccessOptions } from './access-options.js';
import { ApplicationStrategy } from './application.strategy.js';
import type { AuthenticatedCall } from './authenticated-call.js';
import { bearerToken } from './bearer.js';
import { TokenVerifier } from './token-verifier.js';

/** Proves who calls by the access token of the `Authorization` header. */
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
}
