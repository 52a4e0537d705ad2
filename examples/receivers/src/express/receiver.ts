import { verifyWebhook, WebhookVerificationError } from '@crm/sdk';
import express, { type ErrorRequestHandler } from 'express';
import { handleEvent } from '../handle-event.js';
import { HandledEvents } from '../handled-events.js';
import { readSettings } from '../settings.js';

const { secrets, port } = readSettings();
const handled = new HandledEvents();
const app = express();

// express.raw() keeps the bytes. It belongs to this route alone, and the route stands before any app.use(express.json()).
app.post('/webhooks/crm', express.raw({ type: () => true, limit: '1mb' }), async (request, response) => {
  const event = verifyWebhook(request.body, request.headers, secrets);
  await handled.once(event.id, () => handleEvent(event));
  response.sendStatus(204);
});

const refuse: ErrorRequestHandler = (error, _request, response, next) => {
  if (!(error instanceof WebhookVerificationError)) return next(error);
  console.warn(`refused: ${error.message}`);
  response.status(error.httpStatus).json({ reason: error.reason });
};
app.use(refuse);

// The rest of the app may parse JSON as usual.
app.use(express.json());

const server = app.listen(port, '127.0.0.1', () => {
  const address = server.address();
  console.log(`listening on port ${typeof address === 'object' ? address?.port : address}`);
});
