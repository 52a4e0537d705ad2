import { EventEmitter } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it } from '@jest/globals';
import { connectChecked, type SessionsOfOrigin, type Target, TlsSessions, type VerifiedSession } from './connector.js';

/** Stands in for a socket of `tls.connect` and plays the script of a test. */
class FakeSocket extends EventEmitter {
  destroyed = false;
  remoteAddress: string | undefined;
  resumed = false;

  constructor(script: (socket: FakeSocket) => void) {
    super();
    setImmediate(() => script(this));
  }

  destroy(): void {
    this.destroyed = true;
  }

  isSessionReused(): boolean {
    return this.resumed;
  }

  setNoDelay(): void {
    this.emit('nodelay');
  }
}

const PUBLIC = '93.184.215.14';
const target: Target = { hostname: 'example.com', port: 443, addresses: [PUBLIC], exempt: false };

/** Connects with fake sockets that play the scripts, one per address that is tried. */
function connecting(
  scripts: ((socket: FakeSocket) => void)[],
  more: Partial<Target> = {},
  timeoutMs = 1_000,
  sessions?: SessionsOfOrigin,
) {
  const sockets: FakeSocket[] = [];
  const offered: unknown[] = [];
  const abort = new AbortController();
  const socket = connectChecked(
    { ...target, ...more },
    {
      timeoutMs,
      signal: abort.signal,
      sessions,
      dial: (options) => {
        offered.push(options.session);
        const next = new FakeSocket(scripts[sockets.length] ?? (() => undefined));
        sockets.push(next);
        return next as unknown as TLSSocket;
      },
    },
  );
  return { socket, sockets, offered, abort };
}

const answersFrom = (address: string | undefined) => (socket: FakeSocket) => {
  socket.remoteAddress = address;
  socket.emit('connect');
  socket.emit('secureConnect');
};

/** Certificates that are not trusted, or sessions that the receiver no longer knows, fail like this. */
const failsAfterConnecting = (socket: FakeSocket) => {
  socket.remoteAddress = PUBLIC;
  socket.emit('connect');
  socket.emit('error', new Error('certificate'));
};

describe('connectChecked', () => {
  it('returns a socket whose peer is the checked address', async () => {
    const { socket, sockets } = connecting([answersFrom(PUBLIC)]);
    expect(await socket).toBe(sockets[0]);
    expect(sockets[0]).toMatchObject({ destroyed: false });
  });

  it('recognises an IPv6 peer in any spelling', async () => {
    const { socket } = connecting([answersFrom('2606:4700:0:0:0:0:0:1111')], { addresses: ['2606:4700::1111'] });
    expect(await socket).toBeDefined();
  });

  it.each<[string, string | undefined, Partial<Target>]>([
    ['another public address', '8.8.8.8', {}],
    ['a private address', '10.0.0.1', {}],
    ['a private address that was not dialled for an exception', '10.0.0.2', { addresses: ['10.0.0.1'], exempt: true }],
    ['a private address that was dialled', '10.0.0.1', { addresses: ['10.0.0.1'] }],
    ['unknown', undefined, {}],
  ])('refuses a peer that is %s', async (_what, peer, more) => {
    const { socket, sockets } = connecting([answersFrom(peer)], more);
    await expect(socket).rejects.toMatchObject({ code: 'blocked' });
    expect(sockets[0]).toMatchObject({ destroyed: true });
  });

  it('refuses a peer that changes during the handshake', async () => {
    const { socket } = connecting([
      (fake) => {
        fake.remoteAddress = PUBLIC;
        fake.emit('connect');
        fake.remoteAddress = '10.0.0.1';
        fake.emit('secureConnect');
      },
    ]);
    await expect(socket).rejects.toMatchObject({ code: 'blocked' });
  });

  it('tries the next address after a failed connection, but not after a wrong certificate', async () => {
    const refused = (fake: FakeSocket) => fake.emit('error', Object.assign(new Error('no'), { code: 'ECONNREFUSED' }));
    const addresses = ['8.8.8.8', PUBLIC, '1.1.1.1'];
    const { socket, sockets } = connecting([refused, failsAfterConnecting], { addresses });
    await expect(socket).rejects.toMatchObject({ code: 'tls', message: expect.not.stringContaining('(') });
    expect(sockets).toHaveLength(2);
  });

  it.each<[string, (fake: FakeSocket) => void]>([
    ['is reset', (fake) => fake.emit('error', Object.assign(new Error('reset'), { code: 'ECONNRESET' }))],
    ['breaks', (fake) => fake.emit('error', Object.assign(new Error('broken'), { code: 'EPIPE' }))],
    ['is closed', (fake) => fake.emit('close')],
  ])(
    'tells a connection that %s during the handshake from a failed one, and tries the next address',
    async (_what, end) => {
      const interrupted = (fake: FakeSocket) => {
        fake.remoteAddress = PUBLIC;
        fake.emit('connect');
        end(fake);
      };
      const { socket, sockets } = connecting([interrupted, interrupted], { addresses: [PUBLIC, PUBLIC] });
      await expect(socket).rejects.toMatchObject({ code: 'reset' });
      expect(sockets).toHaveLength(2);
    },
  );

  it('tries at most four addresses', async () => {
    const closed = (fake: FakeSocket) => fake.emit('close');
    const { socket, sockets } = connecting([closed, closed, closed, closed], { addresses: Array(9).fill(PUBLIC) });
    await expect(socket).rejects.toMatchObject({ code: 'connect' });
    expect(sockets).toHaveLength(4);
  });

  it('fails with "connect" when there is no address', async () => {
    await expect(connecting([], { addresses: [] }).socket).rejects.toMatchObject({ code: 'connect' });
  });

  it('divides the time limit among the addresses', async () => {
    const { socket, sockets } = connecting([], { addresses: [PUBLIC, '8.8.8.8'] }, 60);
    await expect(socket).rejects.toMatchObject({ code: 'timeout_connect' });
    expect(sockets).toHaveLength(2);
  });

  it('fails when it is cancelled, before it begins or while it connects', async () => {
    const { socket, sockets, abort } = connecting([]);
    abort.abort();
    await expect(socket).rejects.toMatchObject({ code: 'connect', message: 'The call was cancelled' });
    expect(sockets[0]).toMatchObject({ destroyed: true });
    const late = connectChecked(target, { timeoutMs: 100, signal: abort.signal });
    await expect(late).rejects.toMatchObject({ message: 'The call was cancelled' });
  });

  it('rethrows what the dial function throws', async () => {
    const dial = () => {
      throw new RangeError('port');
    };
    const signal = new AbortController().signal;
    await expect(connectChecked(target, { timeoutMs: 100, signal, dial })).rejects.toThrow(RangeError);
  });
});

describe('connectChecked with TLS sessions', () => {
  const known: VerifiedSession = { session: Buffer.from('ticket'), name: 'example.com', usableUntil: 12_345 };

  /** Sessions of one origin, as calls that were made. */
  function recording() {
    const calls: unknown[] = [];
    const sessions: SessionsOfOrigin = {
      find: (address, name) => {
        calls.push(['find', address, name]);
        return known;
      },
      keep: (address, session) => calls.push(['keep', address, session]),
      forget: (address) => calls.push(['forget', address]),
    };
    return { calls, sessions };
  }

  const resumesFrom = (address: string) => (socket: FakeSocket) => {
    socket.resumed = true;
    answersFrom(address)(socket);
  };

  it('offers the session of the address and checks the peer of the socket that resumes it', async () => {
    const { calls, sessions } = recording();
    const { socket, offered, sockets } = connecting([resumesFrom('8.8.8.8')], {}, 1_000, sessions);
    await expect(socket).rejects.toMatchObject({ code: 'blocked' });
    expect(offered).toEqual([known.session]);
    expect(sockets[0]).toMatchObject({ destroyed: true });
    expect(calls.flat()).toEqual(['find', PUBLIC, 'example.com', 'forget', PUBLIC]);
  });

  it('lets a session that follows a resumed one end when the first would', async () => {
    const { calls, sessions } = recording();
    const { socket, sockets } = connecting([resumesFrom(PUBLIC)], {}, 1_000, sessions);
    await socket;
    const session = Buffer.from('next ticket');
    sockets[0]!.emit('session', session);
    expect(calls.at(-1)).toEqual(['keep', PUBLIC, { ...known, session }]);
  });

  it('keeps no session of a handshake whose certificate was not checked', async () => {
    const { calls, sessions } = recording();
    // Offered, not resumed, and the check of the name was not called.
    const { socket, sockets } = connecting([answersFrom(PUBLIC)], {}, 1_000, sessions);
    await socket;
    sockets[0]!.emit('session', Buffer.from('ticket'));
    expect(calls).toEqual([['find', PUBLIC, 'example.com']]);
  });

  it('connects in full when the handshake with a session fails', async () => {
    const { calls, sessions } = recording();
    const { socket, sockets, offered } = connecting([failsAfterConnecting, answersFrom(PUBLIC)], {}, 1_000, sessions);
    expect(await socket).toBe(sockets[1]);
    expect(offered).toEqual([known.session, undefined]);
    expect(calls).toContainEqual(['forget', PUBLIC]);
  });
});

describe('TlsSessions', () => {
  const NAME = 'a.example.com';
  const origin = { origin: `https://${NAME}`, hostname: NAME, port: 443, exempt: false };
  const sessionUntil = (usableUntil: number) => ({ session: Buffer.from('ticket'), name: NAME, usableUntil });

  it('gives a session only for its origin, address, trust and name', () => {
    const sessions = new TlsSessions();
    const kept = sessionUntil(performance.now() + 600_000);
    sessions.keep(origin, '8.8.8.8', kept);
    expect(sessions.find(origin, '8.8.8.8', NAME)).toBe(kept);
    expect(sessions.find(origin, '1.1.1.1', NAME)).toBeUndefined();
    expect(sessions.find({ ...origin, exempt: true }, '8.8.8.8', NAME)).toBeUndefined();
    expect(sessions.find({ ...origin, origin: 'https://a.example.com:8443' }, '8.8.8.8', NAME)).toBeUndefined();
    expect(sessions.find(origin, '8.8.8.8', 'b.example.com')).toBeUndefined();
    sessions.forget(origin, '8.8.8.8');
    expect(sessions.find(origin, '8.8.8.8', NAME)).toBeUndefined();
  });

  it.each([Number.NaN, 0])('gives none whose certificate must be seen again (%p)', (usableUntil) => {
    const sessions = new TlsSessions();
    sessions.keep(origin, '8.8.8.8', sessionUntil(usableUntil));
    expect(sessions.find(origin, '8.8.8.8', NAME)).toBeUndefined();
  });
});
