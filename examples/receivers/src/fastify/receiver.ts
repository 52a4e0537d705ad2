import { verifyWebhook, WebhookVerificationError } from '@crm/sdk';
import fastify, { type FastifyPluginAsync } from 'fastify';
import { handleEvent } from '../handle-event.js';
import { HandledEvents } from '../handled-events.js';
import { readSettings } from '../settings.js';

const { secrets, port } = readSettings();
const handled = new HandledEvents();

// A plugin has parsers of its own: here a body stays a Buffer, and all other routes of the app parse JSON as usual.
const webhooks: FastifyPluginAsync = async (scope) => {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser<Buffer>('*', { parseAs: 'buffer', bodyLimit: 1024 * 1024 }, (_request, body, done) => {
    done(null, body);
  });

  scope.post<{ Body: Buffer }>('/webhooks/crm', async (request, reply) => {
    const event = verifyWebhook(request.body, request.headers, secrets);
    await handled.once(event.id, () => handleEvent(event));
    return reply.code(204).send();
  });

  scope.setErrorHandler((error, _request, reply) => {
    if (!(error instanceof WebhookVerificationError)) throw error;
    console.warn(`refused: ${error.message}`);
    return reply.code(error.httpStatus).send({ reason: error.reason });
  });
};

const app = fastify();
await app.register(webhooks);
const address = await app.listen({ port, host: '127.0.0.1' });
console.log(`listening on port ${new URL(address).port}`);
