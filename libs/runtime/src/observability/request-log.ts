import { runInRequestContext } from '@crm/context';
import { redactPath } from '@crm/http';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';

/** One line for every request when it is answered. Queries are left out: they hold names and addresses of people. */
export function logRequests(instance: FastifyInstance, logger: Logger): void {
  instance.addHook('onResponse', (request, reply, done) => {
    runInRequestContext(request.callContext, () => {
      const { principal } = request.callContext;
      logger.info(
        {
          method: request.method,
          path: redactPath(request.url),
          status: reply.statusCode,
          ms: Math.round(reply.elapsedTime * 10) / 10,
          ...(request.problemCode && { problem: request.problemCode }),
          ...(principal && { principal: principal.kind, userId: principal.userId }),
        },
        'request',
      );
    });
    done();
  });
}
