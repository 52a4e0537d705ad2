import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Workspace } from './command.js';
import { type Answered, TestServer } from './server.js';

const workspace = new Workspace();
let answer: Answered;
const platform = new TestServer(() => answer);

beforeAll(() => platform.start());
afterAll(async () => {
  workspace.remove();
  await platform.close();
});

const trigger = (...args: string[]) =>
  workspace.run(['trigger', 'lead.created', 'acme', ...args], { config: { baseUrl: platform.url, token: 'secret' } });
const sent = (...deliveries: object[]): Answered => ({
  status: 200,
  body: { event: 'lead.created', eventId: 'e1', deliveries },
});
const accepted = { url: 'https://acme.example/a', status: 'delivered', httpStatus: 202, latencyMs: 12 };
const failed = {
  url: 'https://acme.example/b',
  status: 'failed',
  httpStatus: 503,
  latencyMs: 34,
  error: { code: 'http_5xx', message: 'The receiver answered 503' },
};

describe('crm-dev trigger', () => {
  it('has a sample event sent, and prints what the endpoint answered', async () => {
    answer = sent(accepted);
    expect(await trigger()).toEqual({
      status: 0,
      out: 'lead.created e1 → https://acme.example/a 202 (12 ms)\n',
      err: '',
    });
    expect(platform.received.at(-1)).toMatchObject({
      method: 'POST',
      path: '/api/marketplace/developer/apps/acme/trigger',
      headers: { authorization: 'Bearer secret', 'content-type': 'application/json' },
      body: '{"event":"lead.created"}',
    });
  });

  it('ends with status 1 when an endpoint did not accept it', async () => {
    answer = sent(accepted, failed, { url: 'https://acme.example/c', status: 'pending' });
    const { status, out } = await trigger();
    expect(status).toBe(1);
    expect(out.split('\n').slice(1)).toEqual([
      'lead.created e1 → https://acme.example/b failed: http_5xx, The receiver answered 503 (34 ms)',
      'lead.created e1 → https://acme.example/c pending',
      '',
    ]);
  });

  it('prints the answer as JSON', async () => {
    answer = sent(failed);
    const { status, out } = await trigger('--json');
    expect([status, JSON.parse(out)]).toEqual([1, answer.body]);
  });

  it.each<[string, Answered, RegExp]>([
    ['a refusal', { status: 409, body: { detail: 'No webhook names it' } }, /refused: 409 No webhook names it\n$/],
    ['an unexpected answer', { status: 200, body: { deliveries: 1 } }, /did not answer with deliveries\.\n$/],
  ])('ends with status 2 after %s', async (_what, given, message) => {
    answer = given;
    expect(await trigger()).toMatchObject({ status: 2, out: '', err: expect.stringMatching(message) });
  });
});
