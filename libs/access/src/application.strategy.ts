import type { OnApplicationShutdown } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import passport from 'passport';

/** Strategies made in this process so far. */
let made = 0;

/** Passport's contract, with a name that no other application of the process has. */
class UniquelyNamedStrategy extends passport.Strategy {
  override readonly name: string;

  /** @param verify calls back with an error, or with what was proven; `undefined`, `null` and `false` prove nothing */
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
 * A Passport strategy of one application. Passport registers strategies by name for the whole process; several
 * applications may run in one, so each instance has a name of its own, which it gives up when its application ends.
 *
 * A strategy implements `validate(request)`: it resolves to what was proven, or rejects with the PlatformError that the
 * caller gets. Routes use it by {@link StrategyGuard}.
 */
export abstract class ApplicationStrategy<TProven>
  extends PassportStrategy(UniquelyNamedStrategy)
  implements OnApplicationShutdown
{
  /**
   * @param request an HTTP request whose body was read but not validated, or the context of an RPC
   * @throws PlatformError with the code of the refusal
   */
  abstract override validate(request: unknown): Promise<TProven>;

  onApplicationShutdown(): void {
    passport.unuse(this.name);
  }
}
