import type { TokenReason } from '@crm/sdk/embed/protocol';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ASK_AGAIN_MS, ASK_SOON_MS, ATTEMPTS, NoToken, Session, TOKEN_TIMEOUT_MS } from './session.js';

const LIFETIME_S = 900;

/** A token as the API mints it, now. */
function newToken(name: string, ageSeconds = 0, of = { tid: 'a-workspace', sub: 'a-user' }): string {
  const iat = Math.floor(Date.now() / 1000) - ageSeconds;
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'EdDSA' })}.${part({ ...of, name, iat, exp: iat + LIFETIME_S })}.c2ln`;
}

let asked: TokenReason[];
let session: Session;
beforeEach(() => {
  jest.useFakeTimers({ now: new Date('2026-11-22T10:00:00Z') });
  asked = [];
  session = new Session((reason) => asked.push(reason));
});
afterEach(() => {
  jest.useRealTimers();
});

const advance = (seconds: number) => jest.advanceTimersByTime(seconds * 1000);

describe('the token of the page', () => {
  it('is waited for by every call that is made before it is there', async () => {
    const calls = [session.current(), session.current()];
    const token = newToken('first');
    session.receive(token);
    expect(await Promise.all(calls)).toEqual([token, token]);
    expect(session.state).toBe('active');
  });

  it('is asked for a minute before it ends, and the state does not change', async () => {
    session.receive(newToken('first'));
    const changed = jest.fn();
    session.subscribe(changed);
    advance(LIFETIME_S - 61);
    expect(asked).toEqual([]);
    advance(1);
    expect(asked).toEqual(['expiring']);
    const next = newToken('second');
    session.receive(next);
    advance(61);
    expect(changed).not.toHaveBeenCalled();
    expect([session.state, await session.current()]).toEqual(['active', next]);
  });

  it('that the host has had for a while ends when it says so', () => {
    session.receive(newToken('old', 600));
    advance(LIFETIME_S - 600 - 60);
    expect(asked).toEqual(['expiring']);
    advance(60);
    expect(asked.length).toBeGreaterThan(1);
  });

  it('counts from its own times when the clock of the machine is wrong', () => {
    const token = newToken('first');
    jest.setSystemTime(new Date('2027-01-01T00:00:00Z'));
    session.receive(token);
    advance(LIFETIME_S - 60);
    expect([asked, session.state]).toEqual([['expiring'], 'active']);
  });

  it('is used to its end while the host fails to replace it, and asked for again meanwhile', () => {
    session.receive(newToken('first'));
    advance(LIFETIME_S - 60);
    session.fail();
    expect(session.state).toBe('active');
    advance(ASK_AGAIN_MS / 1000);
    expect(asked).toEqual(['expiring', 'expiring']);
  });

  it('that has run out takes nothing away while the host is asked for another, again and again, and then everything', async () => {
    const first = newToken('first');
    session.receive(first);
    const changed = jest.fn();
    session.subscribe(changed);
    // The machine sleeps: its timers do not run, and the first call afterwards is refused.
    jest.setSystemTime(Date.now() + 3_600_000);
    const call = session.replacementFor(first);
    expect([asked, session.state]).toEqual([['expiring'], 'active']);
    session.fail();
    advance(ASK_SOON_MS / 1000);
    expect([asked, session.state]).toEqual([['expiring', 'expiring'], 'active']);
    const second = newToken('second');
    session.receive(second);
    expect(await call).toBe(second);
    expect(changed).not.toHaveBeenCalled();

    jest.setSystemTime(Date.now() + 3_600_000);
    const lost = session.replacementFor(second);
    asked = [];
    // The host does not even answer.
    for (let attempt = 1; attempt < ATTEMPTS; attempt += 1) advance((TOKEN_TIMEOUT_MS + ASK_SOON_MS) / 1000);
    expect([asked.length, session.state]).toEqual([ATTEMPTS - 1, 'active']);
    advance(TOKEN_TIMEOUT_MS / 1000);
    await expect(lost).rejects.toBeInstanceOf(NoToken);
    expect(session.state).toBe('ended');
  });

  it('that the host never answers for is asked for again while the present one is valid', () => {
    session.receive(newToken('first'));
    advance(LIFETIME_S - 60);
    advance((TOKEN_TIMEOUT_MS + ASK_AGAIN_MS) / 1000);
    expect([asked, session.state]).toEqual([['expiring', 'expiring'], 'active']);
  });

  it('that never comes at first is not waited for without end, also while nothing is called', () => {
    advance(TOKEN_TIMEOUT_MS / 1000);
    expect(session.state).toBe('not-delivered');
  });

  it('that was refused is replaced once, however many calls were refused', async () => {
    const [first, second] = [newToken('first'), newToken('second')];
    session.receive(first);
    const calls = [session.replacementFor(first), session.replacementFor(first)];
    expect(asked).toEqual(['refused']);
    session.receive(second);
    expect(await Promise.all(calls)).toEqual([second, second]);
    // A call that was under way all the time.
    expect(await session.replacementFor(first)).toBe(second);
    expect(asked).toEqual(['refused']);
  });

  it.each([
    ['the first', 'not-delivered', (): void => undefined],
    ['another after a refusal', 'ended', () => session.receive(newToken('first'))],
  ] as const)('when the host cannot get %s: the state is %s, and no call hangs', async (_, state, before) => {
    before();
    const call = state === 'ended' ? session.replacementFor(await session.current()) : session.current();
    session.fail();
    await expect(call).rejects.toBeInstanceOf(NoToken);
    expect(session.state).toBe(state);
  });

  it('that never comes is not waited for without end', async () => {
    const call = session.current();
    advance(TOKEN_TIMEOUT_MS / 1000);
    await expect(call).rejects.toBeInstanceOf(NoToken);
    expect(session.state).toBe('not-delivered');
    session.retry();
    session.receive(newToken('late'));
    expect([asked, session.state]).toEqual([['first'], 'active']);
  });

  it('is forgotten for good when the host destroys the page', async () => {
    session.receive(newToken('first'));
    session.destroy();
    session.receive(newToken('second'));
    expect(session.state).toBe('destroyed');
    await expect(session.current()).rejects.toBeInstanceOf(NoToken);
    advance(LIFETIME_S);
    expect(asked).toEqual([]);
  });

  it.each([
    ['user', { tid: 'a-workspace', sub: 'another-user' }],
    ['workspace', { tid: 'another-workspace', sub: 'a-user' }],
  ])('of another %s is told to anyone who shows anything, and no call of before goes on with it', async (_, other) => {
    const first = newToken('first');
    session.receive(first);
    const { holder } = session;
    const holders: unknown[] = [];
    session.subscribe(() => holders.push(session.holder));
    const waiting = session.replacementFor(first);
    session.receive(newToken('first, renewed'));
    expect(await waiting).toBe(await session.current());
    expect(holders).toEqual([]);

    const renewed = await session.current();
    const write = session.replacementFor(renewed);
    const theirs = newToken('theirs', 0, other);
    session.receive(theirs);
    await expect(write).rejects.toBeInstanceOf(NoToken);
    await expect(session.replacementFor(renewed)).rejects.toBeInstanceOf(NoToken);
    expect(holders).toEqual([session.holder]);
    expect(session.holder).not.toBe(holder);
    expect([session.state, await session.current()]).toEqual(['active', theirs]);
  });

  it('of another form is used until it is refused', async () => {
    session.receive('not.a.jwt');
    advance(LIFETIME_S * 2);
    expect([await session.current(), asked]).toEqual(['not.a.jwt', []]);
  });
});
