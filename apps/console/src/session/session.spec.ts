import { ApiProblem } from '@crm/api-client';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { NotSignedIn, Session, type Surroundings } from './session.js';

const tokenOf = (sub: string, name: string) => `h.${btoa(JSON.stringify({ tid: 't', sub, name }))}.s`;
const ADA = tokenOf('ada', '1');
const ADA_LATER = tokenOf('ada', '2');
const BOB = tokenOf('bob', '1');

/** What the API answers next: a token, nobody, a refusal, or nothing ever. */
let answers: (string | 204 | number | 'never')[];
let calls: string[];
let windows: Session[];

/** Windows of one browser: they share the lock, and hear each other. */
function openWindow(): Session {
  const channel: Surroundings['channel'] = { onmessage: null, postMessage: () => undefined };
  const others = () => [...channels].filter((other) => other !== channel);
  channel.postMessage = (data) => others().map((other) => other.onmessage?.({ data } as MessageEvent));
  channels.add(channel);
  const request = ((_: string, { signal }: LockOptions, act: () => Promise<unknown>) => {
    const given = new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
      turn = turn.then(() => (signal?.aborted ? undefined : act().then(resolve, reject)));
    });
    return given;
  }) as unknown as LockManager['request'];
  const session = new Session({ channel, locks: { request } });
  windows.push(session);
  return session;
}
let channels: Set<Surroundings['channel']>;
let turn: Promise<unknown>;

beforeEach(() => {
  jest.useFakeTimers();
  [answers, calls, windows, channels, turn] = [[], [], [], new Set(), Promise.resolve()];
  jest.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const { method, headers, credentials, body, signal } = init ?? {};
    calls.push(`${method} ${input} ${body ?? ''}`.trim());
    expect([credentials, (headers as Record<string, string>)['x-requested-with']]).toEqual(['same-origin', 'crm-page']);
    const answer = method === 'DELETE' ? 204 : (answers.shift() ?? 503);
    if (answer === 'never') {
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    }
    if (typeof answer === 'string') return Response.json({ accessToken: answer, expiresIn: 900 });
    return answer === 204
      ? new Response(null, { status: 204 })
      : Response.json({ code: `HTTP_${answer}` }, { status: answer });
  });
});
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

const REFRESH = 'POST /api/auth/session/refresh {}';

describe('the session of a browser', () => {
  it('goes on after a reload, with what the cookie is worth', async () => {
    answers = [ADA];
    const session = openWindow();
    expect(await Promise.all([session.current(), session.current()])).toEqual([ADA, ADA]);
    expect([session.state, session.holder, calls]).toEqual(['active', 't/ada', [REFRESH]]);
  });

  it.each([
    ['nobody is signed in', 204 as const],
    ['it has ended', 401],
  ])('says so when %s', async (_, answer) => {
    answers = [answer];
    const session = openWindow();
    await expect(session.current()).rejects.toBeInstanceOf(NotSignedIn);
    expect(session.state).toBe('none');
  });

  it('is unknown while the API does not answer, and is asked for again', async () => {
    answers = [503, ADA];
    const session = openWindow();
    await expect(session.current()).rejects.toBeInstanceOf(ApiProblem);
    expect(session.state).toBe('unknown');
    expect(await session.current()).toBe(ADA);
  });

  it('is renewed a minute before its token ends, and when the token is refused', async () => {
    answers = [ADA, ADA_LATER, ADA];
    const session = openWindow();
    await session.start();
    await jest.advanceTimersByTimeAsync(839_000);
    expect(await session.current()).toBe(ADA);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(await session.current()).toBe(ADA_LATER);
    expect(await Promise.all([session.replacementFor(ADA_LATER), session.replacementFor(ADA_LATER)])).toEqual([
      ADA,
      ADA,
    ]);
    expect(calls).toEqual([REFRESH, REFRESH, REFRESH]);
  });

  it('is renewed once by windows that need it at the same time', async () => {
    answers = [ADA, ADA_LATER];
    const [one, other] = [openWindow(), openWindow()];
    expect(await Promise.all([one.current(), other.current()])).toEqual([ADA, ADA]);
    expect(await Promise.all([one.replacementFor(ADA), other.replacementFor(ADA)])).toEqual([ADA_LATER, ADA_LATER]);
    expect(calls).toEqual([REFRESH, REFRESH]);
  });

  it('uses a token to its end while the API is away', async () => {
    answers = [ADA, 503, 503, 503, ADA_LATER, 503, ADA];
    const session = openWindow();
    await session.start();
    await jest.advanceTimersByTimeAsync(840_000);
    expect([session.state, await session.current()]).toEqual(['active', ADA]);
    // Soon at first: an answer that was lost is given again for a while only.
    for (const seconds of [2, 5, 15]) {
      expect(await session.current()).toBe(ADA);
      await jest.advanceTimersByTimeAsync(seconds * 1000);
    }
    expect(await session.current()).toBe(ADA_LATER);
    await jest.advanceTimersByTimeAsync(842_000);
    expect(await session.current()).toBe(ADA);
  });

  it.each([
    ['in this window', true],
    ['in another one', false],
  ])('does not go on in the name of someone else with what one has begun, who signs in %s', async (_, isHere) => {
    answers = [ADA, BOB];
    const [one, other] = [openWindow(), openWindow()];
    await one.start();
    if (isHere) await expect(one.replacementFor(ADA)).rejects.toBeInstanceOf(NotSignedIn);
    else await other.begin({ accessToken: BOB });
    await expect(one.replacementFor(ADA)).rejects.toBeInstanceOf(NotSignedIn);
    expect([await one.current(), one.holder]).toEqual([BOB, 't/bob']);
  });

  it('is asked for by other windows while a call of one is never answered', async () => {
    answers = ['never', ADA];
    const [one, other] = [openWindow(), openWindow()];
    const started = Promise.all([one.start(), other.start()]);
    await jest.advanceTimersByTimeAsync(10_000);
    await started;
    expect([one.state, other.state]).toEqual(['active', 'active']);
    expect(calls).toEqual([REFRESH, REFRESH]);
  });

  it('is asked for without a turn while the window whose turn it is sleeps', async () => {
    answers = [ADA];
    turn = new Promise(() => undefined);
    const session = openWindow();
    const started = session.start();
    await jest.advanceTimersByTimeAsync(15_000);
    await started;
    expect(session.state).toBe('active');
  });

  it('gives what one person has begun no token of another', async () => {
    answers = [ADA];
    const [one, other] = [openWindow(), openWindow()];
    await one.start();
    const bound = one.boundTo(one.holder);
    expect(await bound.current()).toBe(ADA);
    await other.begin({ accessToken: BOB });
    await expect(bound.current()).rejects.toBeInstanceOf(NotSignedIn);
    await expect(bound.replacementFor(ADA)).rejects.toBeInstanceOf(NotSignedIn);
    expect(await one.current()).toBe(BOB);
    await other.begin({ accessToken: ADA_LATER });
    expect(await bound.current()).toBe(ADA_LATER);
  });

  it('begins in every window, and its refresh token is handed over to the cookie', async () => {
    answers = [204, 204, ADA];
    const [one, other] = [openWindow(), openWindow()];
    await Promise.all([one.start(), other.start()]);
    await one.begin({ accessToken: 'used once', refreshToken: 'r' });
    expect([await one.current(), await other.current()]).toEqual([ADA, ADA]);
    expect(calls.at(-1)).toBe('POST /api/auth/session/refresh {"refreshToken":"r"}');
  });

  it('that has ended by itself is still known to be someone’s, until they sign out', async () => {
    answers = [ADA, 401];
    const [one, other] = [openWindow(), openWindow()];
    await one.start();
    await expect(one.replacementFor(ADA)).rejects.toBeInstanceOf(NotSignedIn);
    expect([one.state, one.holder]).toEqual(['ended', 't/ada']);
    await other.begin({ accessToken: ADA_LATER });
    expect([one.state, one.holder]).toEqual(['active', 't/ada']);
    await other.end();
    expect([one.state, one.holder]).toEqual(['none', undefined]);
  });

  it('ends in every window', async () => {
    answers = [ADA];
    const [one, other] = [openWindow(), openWindow()];
    await Promise.all([one.start(), other.start()]);
    const states: string[] = [];
    other.subscribe(() => states.push(other.state));
    await one.end();
    expect([one.state, other.state, states]).toEqual(['none', 'none', ['none']]);
    await expect(other.current()).rejects.toBeInstanceOf(NotSignedIn);
    expect(calls).toEqual([REFRESH, 'DELETE /api/auth/session']);
  });
});
