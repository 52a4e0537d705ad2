import { PlatformError } from '@crm/contracts';
import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Header,
  SetMetadata,
  UseGuards,
} from '@nestjs/common';

const NOT_REPEATABLE = 'crm:not-repeatable';

/** Runs after the access guard, which is global, so who may not call learns nothing of it. */
class RefuseIdempotencyKey implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<{ headers: Readonly<Record<string, unknown>> }>();
    if (headers['idempotency-key'] === undefined) return true;
    throw new PlatformError(
      'MALFORMED_REQUEST',
      'This call does not take Idempotency-Key: its answer is given once, and calling again is another call',
    );
  }
}

/**
 * For calls that issue a secret or a token, and for those that nobody is signed in for: the answer is given this once
 * and is not to be stored by anybody. A caller who sends `Idempotency-Key` counts on a repetition being harmless, which
 * it is not here, so the call is refused with 400 MALFORMED_REQUEST before anything happens.
 */
export const NotRepeatable = (): MethodDecorator =>
  applyDecorators(
    Header('cache-control', 'no-store'),
    UseGuards(RefuseIdempotencyKey),
    SetMetadata(NOT_REPEATABLE, true),
  );

/** Whether a handler is {@link NotRepeatable}. */
export const isNotRepeatable = (handler: object): boolean => Reflect.hasMetadata(NOT_REPEATABLE, handler);
