import { PlatformError } from '@crm/contracts';
import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';

/** Validates the payload of a call against the schema of its contract; `@RpcHandler` binds it. */
export class ContractPipe implements PipeTransform {
  private compiled: Validator | undefined;

  constructor(private readonly schema: TSchema) {}

  /** @throws PlatformError VALIDATION_FAILED with a pointer to each wrong value */
  transform(value: unknown, { type, data }: ArgumentMetadata): unknown {
    if (type !== 'body') return value;
    if (data !== undefined) throw new Error(`@Payload('${data}') would not be validated: use the whole payload`);
    return this.check(value);
  }

  /** The same validation outside Nest's chain. */
  check(request: unknown): unknown {
    // Compiled on the first call: services start faster, and tests use few contracts.
    this.compiled ??= Compile(this.schema);
    if (this.compiled.Check(request)) return request;
    const errors = this.compiled.Errors(request).map((problem) => ({
      pointer: problem.instancePath,
      code: 'INVALID_VALUE',
      detail: problem.message,
    }));
    throw new PlatformError('VALIDATION_FAILED', undefined, { errors });
  }
}
