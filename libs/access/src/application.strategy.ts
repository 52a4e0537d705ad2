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
