import {
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Inject,
  mixin,
  type OnApplicationShutdown,
  type Type,
} from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import passport from 'passport';
import type { CallOrigin } from './request-context.js';

/** Number of strategies created in this process. */
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

/**
 * A Passport strategy of one application. Passport registers strategies by name for the whole process; a process may
 * run several applications, so each instance has a unique name, which is removed when its application ends.
 *
 * A strategy implements `validate(request)`: it resolves to the authenticated identity, or rejects with the PlatformError
 * for the caller. Routes use it through {@link StrategyGuard}.
 */
export abstract class ApplicationStrategy<TProven>
  extends PassportStrategy(UniquelyNamedStrategy)
  implements OnApplicationShutdown
{
  /**
   * @param request an HTTP request whose body is parsed but not validated, or the context of an RPC
   * @throws PlatformError with the code of the refusal
   */
  abstract override validate(request: unknown): Promise<TProven>;

  onApplicationShutdown(): void {
    passport.unuse(this.name);
  }
}

/** The part of an HTTP request that strategies read. */
export interface CredentialRequest {
  /** Parsed but not validated: guards run before pipes. */
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Address of the caller. */
  readonly ip: string;
  /** The request that the call is. */
  readonly callContext?: CallOrigin;
}

/**
 * A guard for a route that authenticates by other means than an access token:
 * `@Public() @UseGuards(StrategyGuard(PasswordStrategy))`. The handler receives the identity with {@link Proven}.
 * @param strategy a provider of the module of the route
 */
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
