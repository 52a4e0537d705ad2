import { jest } from '@jest/globals';
import type { Receiver } from './receiver.js';

/** Calls the exported route handler as Next does, with a Fetch request. */
export async function loadNextReceiver(secrets: string): Promise<Receiver> {
  process.env.WEBHOOK_SECRETS = secrets;
  const { POST } = await import('../src/next/app/webhooks/crm/route.js');
  const log = jest.spyOn(console, 'log').mockImplementation(() => undefined);
  const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  return {
    send: async (headers, body) => {
      const request = new Request('http://127.0.0.1/webhooks/crm', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      });
      const response = await POST(request);
      return { status: response.status, text: await response.text() };
    },
    nextHandled: async () => String(log.mock.calls.shift()?.[0] ?? 'nothing was handled'),
    close: async () => {
      log.mockRestore();
      warn.mockRestore();
      delete process.env.WEBHOOK_SECRETS;
    },
  };
}
