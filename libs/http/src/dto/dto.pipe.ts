import { PlatformError } from '@crm/contracts';
import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { refuseBadText } from './json-value.js';
import { coerceQuery } from './query.js';
import { type DtoClass, schemaOf } from './schema.js';
import { validate } from './validate.js';

/**
 * Checks bodies and query parameters whose type is a DTO class, and hands them on as instances of it, so that initial
 * values of its properties are defaults. A body declared as a plain object has to be one. Everything else passes.
 */
export class DtoPipe implements PipeTransform {
  transform(value: unknown, { type, metatype, data }: ArgumentMetadata): unknown {
    if (data !== undefined || (type !== 'body' && type !== 'query')) return value;
    const schema = schemaOf(metatype);
    if (type === 'query') {
      if (!schema) return value;
      const query = coerceQuery(schema, value as Record<string, unknown>);
      const errors = validate(schema, query);
      if (errors.length > 0) {
        const detail = errors.map((error) => `${error.pointer.slice(1)}: ${error.detail}`).join('; ');
        throw new PlatformError('INVALID_QUERY', detail, { errors });
      }
      return instanceOf(metatype as DtoClass, query);
    }
    if (!schema && metatype !== Object) return value;
    // A body that is not there is an empty one where fields are declared; where anything goes it has to be there.
    const body = value === undefined && schema ? {} : value;
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw new PlatformError('MALFORMED_REQUEST', 'The body must be a JSON object');
    }
    if (!schema) return body;
    const errors = validate(schema, body);
    if (errors.length > 0) throw new PlatformError('VALIDATION_FAILED', undefined, { errors });
    return instanceOf(metatype as DtoClass, body);
  }
}

const instanceOf = (type: DtoClass, values: object): object =>
  Object.assign(new (type as unknown as new () => object)(), values);

/** Refuses text in query parameters that no column can hold. */
export function checkQueryText(query: unknown): void {
  refuseBadText(
    query,
    (pointer) => new PlatformError('INVALID_QUERY', `${pointer.slice(1)}: has a character that is not allowed`),
  );
}
