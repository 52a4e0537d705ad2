import { PlatformError } from '@crm/contracts';
import { Param } from '@nestjs/common';
import { standardObjectNamed } from './standard-objects.js';

/**
 * The api-name in the path of a custom object. A standard object has addresses and a scope of its own: here it does not
 * exist, so that the scope of custom objects does not open it.
 */
export const CustomObjectName = (): ParameterDecorator => Param('apiName', { transform: customObjectName });

function customObjectName(apiName: string): string {
  if (standardObjectNamed(apiName)) throw new PlatformError('NOT_FOUND', 'There is no such object');
  return apiName;
}
