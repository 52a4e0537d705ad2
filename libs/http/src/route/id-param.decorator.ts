import { isUuid, PlatformError } from '@crm/contracts';
import { Param, type PipeTransform } from '@nestjs/common';

/** Lets UUIDs through, in lower case; anything else names nothing, so it is not found. */
export class IdPipe implements PipeTransform<unknown, string> {
  transform(value: unknown): string {
    if (isUuid(value)) return value.toLowerCase();
    throw new PlatformError('NOT_FOUND');
  }
}

/** An id in the path: `@IdParam() id: string`, `@IdParam('workflowId') workflowId: string`. */
export const IdParam = (name = 'id'): ParameterDecorator => Param(name, new IdPipe());
