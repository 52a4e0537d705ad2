import { isUuid, PlatformError } from '@crm/contracts';
import { Param, type PipeTransform } from '@nestjs/common';

/** Returns a UUID in lower case; any other value cannot exist and is NOT_FOUND. */
export class IdPipe implements PipeTransform<unknown, string> {
  transform(value: unknown): string {
    if (isUuid(value)) return value.toLowerCase();
    throw new PlatformError('NOT_FOUND');
  }
}

/** An id in the path: `@IdParam() id: string`, `@IdParam('workflowId') workflowId: string`. */
export const IdParam = (name = 'id'): ParameterDecorator => Param(name, new IdPipe());
