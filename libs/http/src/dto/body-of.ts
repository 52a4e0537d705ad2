import { type Type } from '@nestjs/common';
import { DtoPipe } from './dto.pipe.js';

const pipe = new DtoPipe();

/**
 * A request's body as a DTO, for strategies and guards, which run before pipes. The rules and errors are those of a
 * handler's `@Body()`.
 * @param body the parsed body
 * @throws PlatformError VALIDATION_FAILED with pointers to the invalid values, MALFORMED_REQUEST when it is not an object
 */
export async function bodyOf<T extends object>(dto: Type<T>, body: unknown): Promise<T> {
  return (await pipe.transform(body, { type: 'body', metatype: dto })) as T;
}
