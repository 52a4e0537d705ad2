import {
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Inject,
  mixin,
  type Type,
} from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { ApplicationStrategy } from './application.strategy.js';
import type { CallOrigin } from './call-origin.js';

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
