import { isIP, isIPv6, SocketAddress } from 'node:net';
import {
  type ConnectionOptions,
  checkServerIdentity,
  type SecureContext,
  type TLSSocket,
  connect as tlsConnect,
} from 'node:tls';
import { checkAddress } from '@crm/address-policy';
import { LRUCache } from 'lru-cache';
import type { Origin } from './destination.js';
import { EgressError, type EgressPhase, errorCodeOf } from './errors.js';

/** A TLS session that a verified peer gave, for resumption. */
export interface VerifiedSession {
  /** What `tls.connect` takes. */
  readonly session: Buffer;
  /** The name that the certificate was checked for. */
  readonly name: string;
  /** When the certificate must be seen again, in milliseconds of `performance.now()`. */
  readonly usableUntil: number;
}

/**
 * Milliseconds after a full handshake in which its session is resumed. A resumed handshake shows no certificate, so this is
 * how long a certificate that was revoked or replaced still counts; RFC 8446 4.6.1 allows a week.
 */
export const SESSION_LIFETIME_MS = 10 * 60_000;

/** Sessions kept; about 2 KiB each. */
const REMEMBERED_SESSIONS = 4096;

/**
 * The newest session of each address of each origin. The origin carries host, port and trust (whether the extra authorities
 * count), so a session never serves another host, another port or another trust, nor another address of the same host.
 */
export class TlsSessions {
  private readonly sessions = new LRUCache<string, VerifiedSession>({ max: REMEMBERED_SESSIONS });

  /** @param name what the certificate would be checked for in a full handshake */
  find(origin: Origin, address: string, name: string): VerifiedSession | undefined {
    const known = this.sessions.get(keyOf(origin, address));
    return known !== undefined && known.name === name && performance.now() < known.usableUntil ? known : undefined;
  }

  keep(origin: Origin, address: string, session: VerifiedSession): void {
    this.sessions.set(keyOf(origin, address), session);
  }

  forget(origin: Origin, address: string): void {
    this.sessions.delete(keyOf(origin, address));
  }
}

function keyOf(origin: Origin, address: string): string {
  return `${origin.exempt ? 'exempt' : 'public'} ${origin.origin} ${address}`;
}

/** Opens a TLS socket: `tls.connect`, or a replacement in tests. */
export type Dial = (options: ConnectionOptions) => TLSSocket;

export interface Target {
  /** The host of the URL without brackets and trailing dot; sent in SNI and checked against the certificate. */
  hostname: string;
  port: number;
  /** Checked addresses, tried in this order. */
  addresses: readonly string[];
  /** True when the host is an exception: its addresses are not checked. */
  exempt: boolean;
}

/** The TLS sessions of one origin, by address and the name that the certificate is checked for. */
export interface SessionsOfOrigin {
  find(address: string, name: string): VerifiedSession | undefined;
  keep(address: string, session: VerifiedSession): void;
  forget(address: string): void;
}

interface ConnectOptions {
  /** The authorities that count and the oldest version of TLS; by default those of Node. */
  secureContext?: SecureContext;
  /** Without it every handshake is a full one. */
  sessions?: SessionsOfOrigin;
  /** Milliseconds for TCP and TLS, shared by all addresses. */
  timeoutMs: number;
  signal: AbortSignal;
  dial?: Dial | undefined;
  /** Called when an attempt at an address begins and when its handshake begins. */
  onPhase?: (phase: Phase) => void;
}

type Phase = Extract<EgressPhase, 'connect' | 'tls'>;

/** Limits how many addresses share the time; with more of them, each would get too little. */
const MAX_ADDRESSES = 4;

/**
 * Connects to the first checked address that answers, by address and not by name, so that the name is not looked up a
 * second time. Checks the socket's peer address before the socket is returned.
 * @throws EgressError `connect`, `tls`, `reset`, `timeout_connect`, or `blocked` when the peer is not the checked address
 */
export async function connectChecked(target: Target, options: ConnectOptions): Promise<TLSSocket> {
  const addresses = target.addresses.slice(0, MAX_ADDRESSES);
  const deadline = performance.now() + options.timeoutMs;
  let lastError = new EgressError('connect', 'There is no address to connect to');
  for (const [tried, address] of addresses.entries()) {
    const share = (deadline - performance.now()) / (addresses.length - tried);
    try {
      return await connectTo(target, address, Math.max(1, share), options);
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      lastError = error;
      // A host with a wrong certificate or peer address is not tried at its other addresses.
      if (error.code === 'blocked' || error.code === 'tls' || options.signal.aborted) throw error;
    }
  }
  throw lastError;
}

/** Resumes the session of the address when there is one, and connects in full when the peer fails over it. */
async function connectTo(
  target: Target,
  address: string,
  timeoutMs: number,
  options: ConnectOptions,
): Promise<TLSSocket> {
  // Without a name (the URL contains an address) the certificate is checked for the address.
  const name = isIP(target.hostname) === 0 ? target.hostname : address;
  const known = options.sessions?.find(address, name);
  if (known === undefined) return connectOne(target, address, timeoutMs, options);
  const deadline = performance.now() + timeoutMs;
  try {
    return await connectOne(target, address, timeoutMs, options, known);
  } catch (error) {
    options.sessions?.forget(address);
    const isOfHandshake = error instanceof EgressError && (error.code === 'tls' || error.code === 'reset');
    if (!isOfHandshake || options.signal.aborted) throw error;
    return connectOne(target, address, Math.max(1, deadline - performance.now()), options);
  }
}

function connectOne(
  target: Target,
  address: string,
  timeoutMs: number,
  options: ConnectOptions,
  resuming?: VerifiedSession,
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    if (options.signal.aborted) {
      reject(new EgressError('connect', 'The call was cancelled'));
      return;
    }
    /** The certificate of a full handshake, once its name was checked. */
    let verified: { name: string; validTo: string } | undefined;
    const dial = options.dial ?? tlsConnect;
    const socket = dial({
      host: address,
      port: target.port,
      ...(isIP(target.hostname) === 0 && { servername: target.hostname }),
      ...(options.secureContext && { secureContext: options.secureContext }),
      ...(resuming && { session: resuming.session }),
      ALPNProtocols: ['http/1.1'],
      rejectUnauthorized: true,
      // Node's own check. It is not called when a session is resumed, which shows no certificate.
      checkServerIdentity: (name, certificate) => {
        const error = checkServerIdentity(name, certificate);
        if (error === undefined) verified = { name, validTo: certificate.valid_to };
        return error;
      },
    });
    /** What the sessions of this socket stand for, once it is checked. */
    let resumable: Omit<VerifiedSession, 'session'> | undefined;
    // Node emits it after `secureConnect`, but only to those who listen before the handshake ends (TLS 1.2). The first session
    // is enough; servers give two.
    socket.once('session', (session: Buffer) => {
      if (resumable) options.sessions?.keep(address, { ...resumable, session });
    });
    let phase: Phase = 'connect';
    options.onPhase?.(phase);

    const settle = () => {
      clearTimeout(timer);
      options.signal.removeEventListener('abort', onAbort);
      socket.off('close', onClose);
    };
    const fail = (error: EgressError) => {
      settle();
      // The error listener stays: a destroyed socket may still report errors.
      socket.destroy();
      reject(error);
    };
    const onAbort = () => fail(new EgressError('connect', 'The call was cancelled'));
    const onClose = () => fail(interrupted(phase));
    const onError = (error: Error) => fail(describe(phase, error));
    const timer = setTimeout(
      () => fail(new EgressError('timeout_connect', 'The connection could not be opened in time')),
      timeoutMs,
    );
    options.signal.addEventListener('abort', onAbort, { once: true });

    socket.on('error', onError);
    socket.once('close', onClose);
    socket.once('connect', () => {
      phase = 'tls';
      options.onPhase?.(phase);
      if (!isCheckedPeer(socket, address, target.exempt)) fail(wrongPeer());
    });
    socket.once('secureConnect', () => {
      if (!isCheckedPeer(socket, address, target.exempt)) {
        fail(wrongPeer());
        return;
      }
      settle();
      socket.off('error', onError);
      socket.setNoDelay(true);
      if (resuming !== undefined && socket.isSessionReused()) resumable = resuming;
      else if (verified !== undefined) resumable = newlyVerified(verified);
      resolve(socket);
    });
  });
}

/**
 * For which name and how long the sessions of a full handshake may stand for its certificate. Those of a resumed handshake
 * end when the first one does.
 */
function newlyVerified({ name, validTo }: { name: string; validTo: string }): Omit<VerifiedSession, 'session'> {
  const stillValidMs = Date.parse(validTo) - Date.now();
  return { name, usableUntil: performance.now() + Math.min(SESSION_LIFETIME_MS, stillValidMs) };
}

/** What a peer that restarts or is overloaded does in the middle of a handshake; it says nothing about its certificate. */
const INTERRUPTIONS = ['ECONNRESET', 'EPIPE'];

function interrupted(phase: Phase, cause?: Error): EgressError {
  const code = phase === 'tls' ? 'reset' : phase;
  return new EgressError(code, 'The connection was closed while it was being opened', { cause });
}

function describe(phase: Phase, error: Error): EgressError {
  const code = errorCodeOf(error);
  if (phase === 'tls' && INTERRUPTIONS.includes(code)) return interrupted(phase, error);
  const message =
    phase === 'tls'
      ? `The TLS handshake failed or the certificate is not valid for the host${code && ` (${code})`}`
      : `The connection was not accepted${code && ` (${code})`}`;
  return new EgressError(phase, message, { cause: error });
}

function wrongPeer(): EgressError {
  return new EgressError('blocked', 'The peer is not the address that was checked');
}

/** Returns whether the socket's peer is the dialled address and, unless exempt, one that may be called. */
function isCheckedPeer(socket: TLSSocket, address: string, exempt: boolean): boolean {
  const peer = socket.remoteAddress;
  if (peer === undefined || canonical(peer) !== canonical(address)) return false;
  return exempt || checkAddress(peer).ok;
}

/** Normalises the spelling of an IPv6 address: compressed and lower case. */
function canonical(address: string): string {
  return isIPv6(address) ? new SocketAddress({ address, family: 'ipv6' }).address : address;
}
