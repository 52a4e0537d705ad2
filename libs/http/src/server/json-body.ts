import { PlatformError } from '@crm/contracts';
import type { FastifyInstance } from 'fastify';
import { refuseBadBody, refuseHugeBody } from '../dto/json-value.js';
import type { RouteSettings } from '../route/route-settings.js';

const FORM = 'application/x-www-form-urlencoded';

/**
 * JSON is the only type of body, and a form where a route takes one; any other is answered by 415. Fastify's own parser does the reading, with members named
 * `__proto__` and `constructor.prototype` refused. A declared but empty body counts as none.
 */
export function acceptJsonBodies(instance: FastifyInstance): void {
  instance.removeAllContentTypeParsers();
  const parse = instance.getDefaultJsonParser('error', 'error');
  instance.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text === '') {
      done(null, undefined);
      return;
    }
    try {
      refuseHugeBody(text as string);
    } catch (refusal) {
      done(refusal as Error);
      return;
    }
    parse(request, text as string, (error, body) => {
      if (error) {
        done(error);
        return;
      }
      try {
        refuseBadBody(text as string, body);
        done(null, body);
      } catch (refusal) {
        done(refusal as Error);
      }
    });
  });
  instance.addContentTypeParser(FORM, { parseAs: 'string' }, (request, text, done) => {
    const { formBody } = (request.routeOptions.config ?? {}) as RouteSettings;
    if (formBody) done(null, text);
    else done(new PlatformError('UNSUPPORTED_MEDIA_TYPE'));
  });
}
