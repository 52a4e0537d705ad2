import { type Type } from '@nestjs/common';
import { DtoPipe } from './dto.pipe.js';

const pipe = new DtoPipe();

/**
 * A request's body as a DTO, for strategies and guards, which run before pipes. The rules and refusals are those of a
 * handler's `@Body()`.
 * @param body as it was read
 * @throws PlatformError VALIDATION_FAILED with the pointers of what is wrong, MALFORMED_REQUEST when it is no object
 */
export async function bodyOf<T extends object>(dto: Type<T>, body: unknown): Promise<T> {
  return (await pipe.transform(body, { type: 'body', metatype: dto })) as T;
}
