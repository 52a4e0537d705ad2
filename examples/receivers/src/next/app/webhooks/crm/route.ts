import { verifyWebhook, type WebhookEvent, WebhookVerificationError } from '@crm/sdk';

// node:crypto is not part of the Edge runtime.
export const runtime = 'nodejs';

export async function POST(request: Request): Promise<Response> {
  const secrets = (process.env.WEBHOOK_SECRETS ?? '').split(' ');
  try {
    // The bytes, not request.json(): a body that was parsed and serialised again has another signature.
    const event = verifyWebhook(await request.arrayBuffer(), request.headers, secrets);
    await handleOnce(event);
    return new Response(null, { status: 204 });
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    console.warn(`refused: ${error.message}`);
    return Response.json({ reason: error.reason }, { status: error.httpStatus });
  }
}

/**
 * The events of this process. In production the id belongs in a table, in the transaction of what the event causes: several
 * processes share no memory (docs/receiving-webhooks.md).
 */
const outcomes = new Map<string, Promise<void>>();

/** A duplicate shares the outcome; after a failure the next attempt does the work again. */
function handleOnce(event: WebhookEvent): Promise<void> {
  const earlier = outcomes.get(event.id);
  if (earlier !== undefined) return earlier;
  const outcome = handle(event).catch((error: unknown) => {
    outcomes.delete(event.id);
    throw error;
  });
  outcomes.set(event.id, outcome);
  const [oldest] = outcomes.keys();
  if (outcomes.size > 100_000 && oldest !== undefined) outcomes.delete(oldest);
  return outcome;
}

/** What the app does with an event. `event.type` narrows `event.data`. */
async function handle(event: WebhookEvent): Promise<void> {
  if (event.type !== 'lead.created') return;
  console.log(`handled ${event.id}: the lead ${event.data.lastName} was created`);
}
