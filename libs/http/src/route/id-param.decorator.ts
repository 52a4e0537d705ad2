import { PlatformError } from '@crm/contracts';
import { Param, type PipeTransform } from '@nestjs/common';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Lets UUIDs through, in lower case; anything else names nothing, so it is not found. */
export class IdPipe implements PipeTransform<unknown, string> {
  transform(value: unknown): string {
    if (typeof value === 'string' && UUID.test(value)) return value.toLowerCase();
    throw new PlatformError('NOT_FOUND');
  }
}

/** An id in the path: `@IdParam() id: string`, `@IdParam('workflowId') workflowId: string`. */
export const IdParam = (name = 'id'): ParameterDecorator => Param(name, new IdPipe());
