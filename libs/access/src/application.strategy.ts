import type { OnApplicationShutdown } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import passport from 'passport';

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
