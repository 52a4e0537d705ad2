import { type Audience, PlatformError, type Right, type ScopeName } from '@crm/contracts';
import {
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Inject,
  Injectable,
  mixin,
  type OnApplicationShutdown,
  SetMetadata,
  type Type,
} from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import passport from 'passport';
import type { KeySource, ProofSource, RevocationSource } from './key-ring.js';
import type { CallOrigin, Principal, RequestContext } from './request-context.js';
import { TokenVerifier } from './token-verifier.js';

/** The request over HTTP, or the `RpcContext` of `@crm/messaging`; a guard reads `headers` and sets `principal`. */
export interface AuthenticatedCall {
  readonly headers: { readonly authorization?: string | undefined; readonly 'user-agent'?: string | undefined };
  /** Address of the client of an HTTP request. */
  readonly ip?: string;
  /** The socket of an HTTP request. */
  readonly socket?: CallOrigin['connection'];
  /** The request that the call is part of; the guard completes it. */
  readonly callContext: RequestContext;
  principal?: Principal;
  /** The token must have one of these audiences; default: those of the service (AccessOptions). */
  readonly audiences?: readonly Audience[];
}

export function callOf(context: ExecutionContext): AuthenticatedCall {
  // What `switchToRpc().getContext()` and `switchToHttp().getRequest()` return, without an object for each question.
  return context.getArgByIndex<AuthenticatedCall>(context.getType() === 'rpc' ? 1 : 0);
}

/** What a route or an RPC handler requires of its principal. */
export interface AccessRule {
  readonly right: Right;
  /** Scope that app and embed tokens need; `:read` is enough if the right is `read`. */
  readonly scope?: ScopeName;
  /** True when embed tokens may call a route without a scope. With a scope they may unless this is `false`. */
  readonly embed?: boolean;
  /** True when apps' own tokens may call a route without a scope. With a scope they may unless this is `false`. */
  readonly app?: boolean;
  /** True when API keys may call a route without a scope. With a scope they may unless this is `false`. */
  readonly key?: boolean;
  /**
   * True when the session must have been proven recently: for what is irreversible or outlives the token. Rules with the right
   * `administer` or `own`, and all rules of operators, must state it. Calls with an API key pass: a program cannot prove itself again,
   * so rules with a scope that ask for a proof must state `key`.
   */
  readonly proof?: boolean;
  /**
   * What the route has to do with other workspaces of the person. `proof`: it changes the person in all of them, as a user with
   * their second factor. `reach`: it reads or ends what is theirs elsewhere only in a session that speaks for the person.
   */
  readonly person?: 'proof' | 'reach';
}

/** @param ofOperators whether the route answers operators alone */
export const declaresProof = ({ right, proof }: AccessRule, ofOperators = false): boolean =>
  proof !== undefined || !(ofOperators || right === 'administer' || right === 'own');

/** Returns whether a rule that asks for a proof, which a key never has, decides about keys itself and not by its scope. */
export const declaresKeyAccess = ({ scope, proof, key }: AccessRule): boolean =>
  !proof || scope === undefined || key !== undefined;

export const ACCESS_RULE = 'crm:access-rule';
export const PUBLIC_ROUTE = 'crm:public-route';

/** Who may call the route or the RPC handler. A service does not start if one has neither this nor {@link Public}. */
export const Access = (rule: AccessRule): MethodDecorator & ClassDecorator => SetMetadata(ACCESS_RULE, rule);

export const Public = (): MethodDecorator & ClassDecorator => SetMetadata(PUBLIC_ROUTE, true);

export const CurrentPrincipal = createParamDecorator((_data: unknown, context: ExecutionContext): Principal => {
  const { principal } = callOf(context);
  if (!principal) throw new Error('CurrentPrincipal is used in a handler without Access');
  return principal;
});

/** What a handler requires: nothing (`public`), or a token that satisfies a rule. */
type AccessRequirement = 'public' | AccessRule;

/** Decorators do not change after a class is defined, so those of each handler are read once. */
const known = new WeakMap<Type, Map<unknown, AccessRequirement>>();

/** The method's decorators precede its class's, `@Public` precedes `@Access`. @throws Error when it has neither */
export function requirementOf(context: Pick<ExecutionContext, 'getClass' | 'getHandler'>): AccessRequirement {
  const type = context.getClass();
  const handler = context.getHandler();
  let handlers = known.get(type);
  if (!handlers) {
    handlers = new Map();
    known.set(type, handlers);
  }
  let requirement = handlers.get(handler);
  if (requirement === undefined) {
    requirement = readRequirement(type, handler);
    handlers.set(handler, requirement);
  }
  return requirement;
}

function readRequirement(type: Type, handler: object): AccessRequirement {
  const read = (key: string): unknown => Reflect.getMetadata(key, handler) ?? Reflect.getMetadata(key, type);
  if (read(PUBLIC_ROUTE)) return 'public';
  const rule = read(ACCESS_RULE);
  if (!rule) throw new Error(`${type.name} has a handler without an access rule`);
  return rule as AccessRule;
}

let made = 0;

/** Passport's contract, with a name that is unique in the process. */
class UniquelyNamedStrategy extends passport.Strategy {
  override readonly name: string;

  /** @param verify calls back with an error, or with the identity; `undefined`, `null` and `false` mean none */
  constructor(private readonly verify: (request: unknown, done: (error: unknown, proven?: unknown) => void) => void) {
    super();
    made += 1;
    this.name = `${new.target.name}#${made}`;
  }

  override authenticate(request: unknown): void {
    this.verify(request, (error, proven) => {
      if (error) this.error(error);
      else if (proven) this.success(proven as Express.User);
      else this.fail();
    });
  }
}

/** Passport registers strategies by name for the process, so each instance has a unique one until its application ends. */
export abstract class ApplicationStrategy<TProven>
  extends PassportStrategy(UniquelyNamedStrategy)
  implements OnApplicationShutdown
{
  /** The request's body is parsed but not validated. @throws PlatformError with the code of the refusal */
  abstract override validate(request: unknown): Promise<TProven>;

  onApplicationShutdown(): void {
    passport.unuse(this.name);
  }
}

export interface CredentialRequest {
  /** Parsed but not validated: guards run before pipes. */
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly ip: string;
  readonly callContext?: CallOrigin;
}

/** `@Public() @UseGuards(StrategyGuard(PasswordStrategy))`; the handler receives the identity with {@link Proven}. */
export function StrategyGuard(strategy: Type<ApplicationStrategy<unknown>>): Type<CanActivate> {
  class Guard extends AuthGuard() {
    constructor(@Inject(strategy) { name }: ApplicationStrategy<unknown>) {
      super({ defaultStrategy: name, property: 'proven', session: false });
    }
  }
  return mixin(Guard);
}

/** Injects the identity that the strategy of {@link StrategyGuard} has authenticated. */
export const Proven = createParamDecorator((_data: unknown, context: ExecutionContext): unknown => {
  const { proven } = context.switchToHttp().getRequest<{ proven?: unknown }>();
  if (proven === undefined) throw new Error('Proven is used in a route without StrategyGuard');
  return proven;
});

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
  /** Who knows of proofs; default: the application's provider of ProofSource. */
  readonly proofs?: ProofSource;
  /** True when cut-offs are in the service's own database, so that it knows them while their watch is broken. */
  readonly keepsCutoffs?: boolean;
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
    get connection() {
      return call.socket;
    },
  };
  callContext.principal = principal;
  callContext.tenantId = principal.tenantId || undefined;
  return true;
}
