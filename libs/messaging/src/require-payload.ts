import { PARAM_ARGS_METADATA } from '@nestjs/microservices/constants.js';

/** Nest passes the payload to an undecorated parameter only if none has a decorator. @throws Error otherwise */
export function requirePayload(target: object, key: string | symbol, method: unknown): void {
  const bound: Record<string, { index: number }> | undefined = Reflect.getMetadata(
    PARAM_ARGS_METADATA,
    target.constructor,
    key,
  );
  if (bound === undefined || typeof method !== 'function' || method.length === 0) return;
  if (Object.values(bound).some(({ index }) => index === 0)) return;
  throw new Error(`The first parameter of ${target.constructor.name}.${String(key)} needs @Payload()`);
}
