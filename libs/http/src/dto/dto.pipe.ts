import { type FieldProblem, PlatformError } from '@crm/contracts';
import { type ArgumentMetadata, type PipeTransform, ValidationPipe } from '@nestjs/common';
import { type ClassTransformOptions, classToPlain, plainToInstance } from 'class-transformer';
import { getMetadataStorage, validate, validateSync } from 'class-validator';
import { isAccepted } from './acceptance.js';
import { fieldProblems } from './field-problems.js';
import { instanceOf, isJudgedAtOnce } from './instance.js';
import { refuseBadText } from './json-value.js';
import { coerceQuery } from './query.js';
import { schemaOf } from './schema.js';

/** Nest's pipe for values parsed from JSON or a query string, for which some of its precautions are unnecessary. */
class JsonValidationPipe extends ValidationPipe {
  /** @param refusal creates the error to throw from the problems */
  constructor(refusal: (problems: FieldProblem[]) => PlatformError) {
    super({
      whitelist: true,
      forbidNonWhitelisted: true,
      transform: true,
      stopAtFirstError: true,
      validationError: { target: false, value: true },
      exceptionFactory: (errors) => refusal(fieldProblems(errors)),
      // Passed in, so that the pipe does not import the packages, which would add all of them to the bundle.
      validatorPackage: { validate, getMetadataStorage } as never,
      transformerPackage: { plainToInstance: toInstance, classToPlain } as never,
    });
  }

  /** Like `transform`, but without a promise for classes whose rules need none. */
  judge(value: object, metadata: ArgumentMetadata): unknown {
    const type = metadata.metatype as new () => object;
    if (!isJudgedAtOnce(type)) return this.transform(value, metadata);
    const instance = instanceOf(type, value);
    if (instance.constructor !== type) return this.transform(value, metadata);
    if (isAccepted(type, instance)) return instance;
    const errors = validateSync(instance, this.validatorOptions);
    if (errors.length > 0) throw this.exceptionFactory(errors);
    return instance;
  }

  protected override stripProtoKeys(): void {
    // The body parser rejects `__proto__` and `constructor.prototype`; other names are allowed in a free-form object.
  }

  protected override closeArrayGaps(): void {
    // JSON has no sparse lists.
  }

  protected override findNestedBinaryValues(): [] {
    // JSON has no binary values.
    return [];
  }
}

/** Bodies and queries are always objects here; the original method also checks other things, e.g. whether a class has rules. */
const toInstance = (type: new () => object, value: unknown, options?: ClassTransformOptions): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? instanceOf(type, value, options)
    : plainToInstance(type, value, options);

/**
 * Validates bodies and query parameters whose type is a DTO class and turns them into instances of it, so that initial
 * values of its properties are defaults. A body declared as a plain object must be one. Everything else passes.
 */
export class DtoPipe implements PipeTransform {
  private readonly bodies = new JsonValidationPipe(
    (errors) => new PlatformError('VALIDATION_FAILED', undefined, { errors }),
  );
  private readonly queries = new JsonValidationPipe((errors) => {
    const detail = errors.map((error) => `${error.pointer.slice(1)}: ${error.detail}`).join('; ');
    return new PlatformError('INVALID_QUERY', detail, { errors });
  });

  /**
   * @throws PlatformError VALIDATION_FAILED for a body, INVALID_QUERY for a query; MALFORMED_REQUEST for a body that is
   * not an object
   */
  transform(value: unknown, metadata: ArgumentMetadata): unknown {
    const { type, metatype, data } = metadata;
    if (data !== undefined || (type !== 'body' && type !== 'query')) return value;
    const schema = schemaOf(metatype);
    if (type === 'query') {
      return schema ? this.queries.judge(coerceQuery(schema, value as Record<string, unknown>), metadata) : value;
    }
    if (!schema && metatype !== Object) return value;
    // An absent body counts as empty when fields are declared; a free-form body must be present.
    const body = value === undefined && schema ? {} : value;
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw new PlatformError('MALFORMED_REQUEST', 'The body must be a JSON object');
    }
    return schema ? this.bodies.judge(body, metadata) : body;
  }
}

/** Rejects text in query parameters that no column can store. */
export function checkQueryText(query: unknown): void {
  refuseBadText(
    query,
    (pointer) => new PlatformError('INVALID_QUERY', `${pointer.slice(1)}: has a character that is not allowed`),
  );
}
