import type { FastifyInstance } from 'fastify';
import { refuseBadBody } from '../dto/json-value.js';

/**
 * JSON is the only type of body; any other is answered by 415. Fastify's own parser does the reading, with members named
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
    parse(request, text as string, (error, body) => {
      if (error) {
        done(error);
        return;
      }
      try {
        refuseBadBody(body);
        done(null, body);
      } catch (refusal) {
        done(refusal as Error);
      }
    });
  });
}
