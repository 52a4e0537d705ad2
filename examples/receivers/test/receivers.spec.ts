import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { loadNextReceiver } from './next-receiver.js';
import type { Receiver } from './receiver.js';
import { spawnReceiver } from './spawned-receiver.js';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const PREVIOUS_SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const SECRETS = `${SECRET} ${PREVIOUS_SECRET}`;

function leadCreated(lastName = 'Ångström') {
  const id = randomUUID();
  const timestamp = '2026-03-20T09:46:40.000Z';
  const body = JSON.stringify({ id, type: 'lead.created', timestamp, tenantId: randomUUID(), data: { lastName } });
  return { id, body, line: `handled ${id}: the lead ${lastName} was created` };
}

/** The platform sends these headers; the reference library has signed them. */
function headersOf({ id, body }: { id: string; body: string }, secret = SECRET, ageSeconds = 0) {
  const at = new Date(Date.now() - ageSeconds * 1000);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
}

// The processes run what `npm run build` made; `npm test` builds first.
describe.each<[string, () => Promise<Receiver>]>([
  ['Express', () => spawnReceiver('express', SECRETS)],
  ['Fastify', () => spawnReceiver('fastify', SECRETS)],
  ['Nest', () => spawnReceiver('nest', SECRETS)],
  ['Next', () => loadNextReceiver(SECRETS)],
])('the receiver for %s', (_framework, start) => {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await start();
  });
  afterAll(() => receiver?.close());

  const refusal = (status: number, reason: string) => ({ status, text: JSON.stringify({ reason }) });

  it('handles a delivery and answers 204', async () => {
    const event = leadCreated();
    expect(await receiver.send(headersOf(event), event.body)).toEqual({ status: 204, text: '' });
    expect(await receiver.nextHandled()).toBe(event.line);
  });

  it('accepts the previous secret during a rotation', async () => {
    const event = leadCreated();
    expect((await receiver.send(headersOf(event, PREVIOUS_SECRET), event.body)).status).toBe(204);
    expect(await receiver.nextHandled()).toBe(event.line);
  });

  it('handles an event once, however often it arrives', async () => {
    const event = leadCreated();
    const attempts = [0, 5, 10].map((age) => receiver.send(headersOf(event, SECRET, age), event.body));
    expect((await Promise.all(attempts)).map(({ status }) => status)).toEqual([204, 204, 204]);
    expect((await receiver.send(headersOf(event), event.body)).status).toBe(204);
    const next = leadCreated();
    await receiver.send(headersOf(next), next.body);
    expect([await receiver.nextHandled(), await receiver.nextHandled()]).toEqual([event.line, next.line]);
  });

  it('accepts a body of almost the largest size of an event', async () => {
    const event = leadCreated('x'.repeat(1_000_000));
    expect((await receiver.send(headersOf(event), event.body)).status).toBe(204);
    expect(await receiver.nextHandled()).toBe(event.line);
  });

  it('refuses what was not signed so, and handles nothing of it', async () => {
    const event = leadCreated();
    const headers = headersOf(event);
    const unsigned = { ...headers, 'webhook-signature': '' };
    const mismatch = refusal(401, 'no_matching_signature');
    expect(await receiver.send(headers, event.body.replace('Ångström', 'Angstrom'))).toEqual(mismatch);
    expect(await receiver.send(headers, JSON.stringify(JSON.parse(event.body), null, 2))).toEqual(mismatch);
    expect(await receiver.send(headersOf(event, 'whsec_b3RoZXIgc2VjcmV0IQ=='), event.body)).toEqual(mismatch);
    expect(await receiver.send(headersOf(event, SECRET, 310), event.body)).toEqual(refusal(401, 'timestamp_too_old'));
    expect(await receiver.send(headersOf(event, SECRET, -310), event.body)).toEqual(refusal(401, 'timestamp_too_new'));
    expect(await receiver.send(unsigned, event.body)).toEqual(refusal(400, 'missing_header'));

    const next = leadCreated();
    await receiver.send(headersOf(next), next.body);
    expect(await receiver.nextHandled()).toBe(next.line);
  });
});
