import { type Audience, PlatformError } from '@crm/contracts';
import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { type AuthenticatedCall, callOf, requirementOf } from './access.decorator.js';
import { ApplicationStrategy } from './application.strategy.js';
import type { KeySource, RevocationSource } from './key-ring.js';
import type { Principal } from './request-context.js';
import { TokenVerifier } from './token-verifier.js';

/** The token of an `Authorization` header (RFC 6750, section 2.1), or undefined if it is absent or of another scheme. */
export function bearerToken(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /^bearer +([\w.~+/-]+=*) *$/i.exec(header)?.[1];
}

export interface AccessOptions {
  readonly issuer: string;
  readonly audiences: readonly Audience[];
  /** The source of the keys; default: the application's provider of KeySource. */
  readonly keySource?: KeySource;
  /** The source of the cut-offs; default: the application's provider of RevocationSource. */
  readonly revocations?: RevocationSource;
}

export const ACCESS_OPTIONS = Symbol('crm:access-options');

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

  /** @throws PlatformError UNAUTHENTICATED, TOKEN_EXPIRED, TOKEN_REVOKED, SERVICE_UNAVAILABLE without keys or cut-offs */
  override async validate(call: AuthenticatedCall): Promise<Principal> {
    const token = bearerToken(call.headers.authorization);
    if (token === undefined) throw new PlatformError('UNAUTHENTICATED');
    return this.verifier.verify(token, call.audiences ?? this.audiences);
  }

  /** At once; undefined when the token has to be verified. @throws PlatformError as {@link validate} */
  recall(call: AuthenticatedCall): Principal | undefined {
    return this.verifier.recallFrom(call.headers.authorization, call.audiences ?? this.audiences);
  }
}

/** Asks the strategy itself: Passport would make seven members, an object and three promises a request (record 0142). */
@Injectable()
export class AccessTokenGuard extends AuthGuard() {
  constructor(private readonly strategy: AccessTokenStrategy) {
    super({ defaultStrategy: strategy.name, property: 'principal', session: false });
  }

  override canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (requirementOf(context) === 'public') return true;
    const call = this.getRequest(context);
    const principal = this.strategy.recall(call);
    return principal ? admit(call, principal) : this.authenticate(call);
  }

  override getRequest(context: ExecutionContext): AuthenticatedCall {
    return callOf(context);
  }

  private async authenticate(call: AuthenticatedCall): Promise<boolean> {
    return admit(call, await this.strategy.validate(call));
  }
}

function admit(call: AuthenticatedCall, principal: Principal): true {
  const { callContext } = call;
  // A copy of its own: the remembered principal serves all requests with the token.
  call.principal = {
    ...principal,
    requestId: callContext.requestId,
    traceparent: callContext.traceparent,
    // Getters: few calls ask, and finding the address behind proxies has a cost.
    get address() {
      return call.ip;
    },
    get userAgent() {
      return call.headers['user-agent'];
    },
  };
  callContext.principal = principal;
  callContext.tenantId = principal.tenantId || undefined;
  return true;
}
