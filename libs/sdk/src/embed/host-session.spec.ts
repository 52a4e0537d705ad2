import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { FETCH_TIMEOUT_MS, HostSession, READY_TIMEOUT_MS } from './host-session.js';
import type { EmbedEvent, TokenRequest } from './options.js';
import { type HostMessage, inEnvelope, type PageMessage } from './protocol/messages.js';

const TOKEN = 'aaaa.bbbb.cccc';

function newSession(fetchToken: (request: TokenRequest) => Promise<string>) {
  const posted: HostMessage[] = [];
  const events: EmbedEvent[] = [];
  const session = new HostSession(
    { origin: 'https://embed.example', fetchToken, locale: 'de', theme: { radius: 2 }, view: { object: 'leads' } },
    { post: (message) => posted.push(message), emit: (event) => events.push(event) },
  );
  const receive = (message: PageMessage) => session.receive(inEnvelope(message));
  const codes = () => events.flatMap((event) => (event.type === 'error' ? [event.error.code] : []));
  return { session, posted, events, receive, codes };
}

/** Lets what has been promised happen. */
const settle = async () => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe("the host's side", () => {
  it('tells a page that is ready its theme, locale and view, and nothing before', async () => {
    const { posted, receive } = newSession(async () => TOKEN);
    await settle();
    expect(posted).toEqual([]);
    receive({ type: 'ready' });
    expect(posted).toEqual([
      { type: 'theme', theme: { radius: 2 } },
      { type: 'locale', locale: 'de' },
      { type: 'navigate', view: { object: 'leads' } },
    ]);
  });

  it('fetches the first token while the page loads, once', async () => {
    const reasons: string[] = [];
    const { posted, receive } = newSession(async ({ reason }) => {
      reasons.push(reason);
      return TOKEN;
    });
    receive({ type: 'ready' });
    receive({ type: 'token-wanted', reason: 'first' });
    receive({ type: 'token-wanted', reason: 'first' });
    await settle();
    expect(reasons).toEqual(['first']);
    expect(posted).toContainEqual({ type: 'token', token: TOKEN });
  });

  it('fetches again when a token is about to end, or was refused', async () => {
    const reasons: string[] = [];
    const { receive, events } = newSession(async ({ reason }) => {
      reasons.push(reason);
      return TOKEN;
    });
    for (const reason of ['first', 'expiring', 'refused'] as const) {
      receive({ type: 'token-wanted', reason });
      await settle();
    }
    expect(reasons).toEqual(['first', 'expiring', 'refused']);
    expect(events).toEqual(reasons.map((reason) => ({ type: 'token', reason })));
  });

  it.each([
    ['rejects', () => Promise.reject(new Error('backend away'))],
    ['returns no token', () => Promise.resolve('')],
    ['returns something else', () => Promise.resolve({ token: TOKEN } as unknown as string)],
  ])('reports it and tells the page when fetchToken %s', async (_, fetchToken) => {
    const { posted, receive, codes } = newSession(fetchToken);
    await settle();
    // Nobody has asked for it yet, so nobody is told.
    expect(codes()).toEqual([]);
    receive({ type: 'token-wanted', reason: 'first' });
    await settle();
    expect(codes()).toEqual(['fetch_token_failed']);
    expect(posted).toContainEqual({ type: 'token-failed' });
  });

  it('ends a request that never answers, tells the page, and makes another when the page asks again', async () => {
    const signals: AbortSignal[] = [];
    const { posted, receive, codes } = newSession(({ signal }) => {
      signals.push(signal);
      return signals.length === 1 ? new Promise(() => undefined) : Promise.resolve(TOKEN);
    });
    receive({ type: 'ready' });
    receive({ type: 'token-wanted', reason: 'first' });
    jest.advanceTimersByTime(FETCH_TIMEOUT_MS);
    await settle();
    expect([signals[0]?.aborted, codes(), posted.at(-1)]).toEqual([
      true,
      ['fetch_token_failed'],
      { type: 'token-failed' },
    ]);
    receive({ type: 'token-wanted', reason: 'first' });
    await settle();
    expect(posted.at(-1)).toEqual({ type: 'token', token: TOKEN });
    jest.advanceTimersByTime(FETCH_TIMEOUT_MS);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });

  it('says in words that the frame was refused when no page answers', () => {
    const { events } = newSession(async () => TOKEN);
    jest.advanceTimersByTime(READY_TIMEOUT_MS);
    expect(events).toEqual([{ type: 'error', error: expect.objectContaining({ code: 'frame_refused' }) }]);
    expect(events[0]).toMatchObject({ error: { message: expect.stringContaining('allowed origins') } });
  });

  it('says nothing of the kind once the page has answered', () => {
    const { receive, codes } = newSession(async () => TOKEN);
    receive({ type: 'ready' });
    jest.advanceTimersByTime(READY_TIMEOUT_MS);
    expect(codes()).toEqual([]);
  });

  it('reports a page that speaks another version', () => {
    const { session, codes } = newSession(async () => TOKEN);
    session.receive({ ...inEnvelope({ type: 'ready' }), version: 2 });
    expect(codes()).toEqual(['protocol_version']);
  });

  it('tells a page that was loaded again where the user was', () => {
    const { posted, receive } = newSession(async () => TOKEN);
    receive({ type: 'ready' });
    receive({ type: 'navigate', view: { object: 'tasks' } });
    posted.length = 0;
    receive({ type: 'ready' });
    expect(posted).toContainEqual({ type: 'navigate', view: { object: 'tasks' } });
  });

  it('is silent after destroy, and a token that arrives later goes nowhere', async () => {
    let deliver = (_: string): void => undefined;
    let wasAborted = false;
    const { session, posted, events, receive } = newSession(({ signal }) => {
      signal.addEventListener('abort', () => {
        wasAborted = true;
      });
      return new Promise((resolve) => {
        deliver = resolve;
      });
    });
    receive({ type: 'ready' });
    receive({ type: 'token-wanted', reason: 'first' });
    session.destroy();
    session.destroy();
    deliver(TOKEN);
    await settle();
    receive({ type: 'navigate', view: { object: 'tasks' } });
    expect(wasAborted).toBe(true);
    expect(posted.at(-1)).toEqual({ type: 'destroyed' });
    expect(events.filter(({ type }) => type === 'destroyed')).toHaveLength(1);
    expect(events.at(-1)).toEqual({ type: 'destroyed' });
  });
});
