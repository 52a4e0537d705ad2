import { PlatformError } from '@crm/contracts';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';

/** Header name in lower case. */
export const IDEMPOTENCY_HEADER = 'idempotency-key';

/**
 * Reads the `Idempotency-Key` header, or another that serves the same purpose.
 * @param name of the header, for the error
 * @throws MALFORMED_REQUEST when it is not 1 to 255 visible ASCII characters
 */
export function readIdempotencyKey(header: string | undefined, name = 'Idempotency-Key'): string | undefined {
  if (header === undefined) return undefined;
  if (!/^[\x21-\x7e]{1,255}$/.test(header)) {
    throw new PlatformError('MALFORMED_REQUEST', `${name} must be 1 to 255 visible ASCII characters`);
  }
  return header;
}

const keyOf = createParamDecorator((name: string, context: ExecutionContext) => {
  const { headers } = context.switchToHttp().getRequest<{ headers: Readonly<Record<string, string | undefined>> }>();
  return readIdempotencyKey(headers[name]);
});

/** Injects the key of a creating call, if one was sent: `@IdempotencyKey() key: string | undefined`. */
export const IdempotencyKey = (): ParameterDecorator => keyOf(IDEMPOTENCY_HEADER);
