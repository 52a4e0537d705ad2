import { isIP, isIPv6, SocketAddress } from 'node:net';
import { type ConnectionOptions, type TLSSocket, connect as tlsConnect } from 'node:tls';
import { checkAddress } from '@crm/address-policy';
import { EgressError, errorCodeOf } from './errors.js';

/** Opens a TLS socket; `tls.connect`, or what a test puts in its place. */
export type Dial = (options: ConnectionOptions) => TLSSocket;

/** Where to connect, and under which name. */
export interface Target {
  /** The host of the URL without brackets and trailing dot: it goes into SNI and is checked against the certificate. */
  hostname: string;
  port: number;
  /** Addresses that have been checked; they are tried in this order. */
  addresses: readonly string[];
  /** True for a host that is an exception: its addresses are not judged, and `ca` is trusted for it. */
  exempt: boolean;
}

/** How to connect. */
export interface ConnectOptions {
  /** PEM certificates trusted, instead of the public authorities, for exceptions. */
  ca?: string | undefined;
  /** Milliseconds for TCP and TLS over all addresses together. */
  timeoutMs: number;
  signal: AbortSignal;
  dial?: Dial;
}

/** More addresses than this are not tried: with the time divided among them, none would get a fair share. */
const MAX_ADDRESSES = 4;

/**
 * Connects to the first of the checked addresses that answers, by number and not by name, so that nothing
 * looks the name up a second time; then asks the socket who the peer is before it is handed over.
 *
 * @returns a socket whose handshake is complete and whose certificate fits the name
 * @throws EgressError `connect`, `tls`, `timeout_connect`, or `blocked` when the peer is not the checked address
 */
export async function connectChecked(target: Target, options: ConnectOptions): Promise<TLSSocket> {
  const addresses = target.addresses.slice(0, MAX_ADDRESSES);
  const deadline = performance.now() + options.timeoutMs;
  let lastError = new EgressError('connect', 'There is no address to connect to.');
  for (const [tried, address] of addresses.entries()) {
    const share = (deadline - performance.now()) / (addresses.length - tried);
    try {
      return await connectOne(target, address, Math.max(1, share), options);
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      lastError = error;
      // A host that answers with a wrong certificate or from a wrong address is not asked elsewhere.
      if (error.code === 'blocked' || error.code === 'tls' || options.signal.aborted) throw error;
    }
  }
  throw lastError;
}

function connectOne(target: Target, address: string, timeoutMs: number, options: ConnectOptions): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    if (options.signal.aborted) {
      reject(new EgressError('connect', 'The call was given up.'));
      return;
    }
    const dial = options.dial ?? tlsConnect;
    const socket = dial({
      host: address,
      port: target.port,
      // Without a name (an address in the URL) the certificate is checked against the address.
      ...(isIP(target.hostname) === 0 && { servername: target.hostname }),
      ...(target.exempt && options.ca !== undefined && { ca: options.ca }),
      ALPNProtocols: ['http/1.1'],
      minVersion: 'TLSv1.2',
      rejectUnauthorized: true,
    });
    let phase: 'connect' | 'tls' = 'connect';

    const settle = () => {
      clearTimeout(timer);
      options.signal.removeEventListener('abort', onAbort);
      socket.off('close', onClose);
    };
    const fail = (error: EgressError) => {
      settle();
      // The error listener stays: a destroyed socket may still report.
      socket.destroy();
      reject(error);
    };
    const onAbort = () => fail(new EgressError('connect', 'The call was given up.'));
    const onClose = () => fail(new EgressError(phase, 'The connection was closed while it was being opened.'));
    const onError = (error: Error) => fail(describe(phase, error));
    const timer = setTimeout(
      () => fail(new EgressError('timeout_connect', 'The connection could not be opened in time.')),
      timeoutMs,
    );
    options.signal.addEventListener('abort', onAbort, { once: true });

    socket.on('error', onError);
    socket.once('close', onClose);
    socket.once('connect', () => {
      phase = 'tls';
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
      resolve(socket);
    });
  });
}

function describe(phase: 'connect' | 'tls', error: Error): EgressError {
  const code = errorCodeOf(error);
  const message =
    phase === 'tls'
      ? `The TLS handshake failed or the certificate is not valid for the host${code && ` (${code})`}.`
      : `The connection was not accepted${code && ` (${code})`}.`;
  return new EgressError(phase, message, { cause: error });
}

function wrongPeer(): EgressError {
  return new EgressError('blocked', 'The connection does not lead to the address that was checked.');
}

/** Whether the socket's peer is the address that was dialled and, unless exempt, one that may be called. */
function isCheckedPeer(socket: TLSSocket, address: string, exempt: boolean): boolean {
  const peer = socket.remoteAddress;
  if (peer === undefined || canonical(peer) !== canonical(address)) return false;
  return exempt || checkAddress(peer).ok;
}

/** One spelling for an address: compressed lower-case IPv6. */
function canonical(address: string): string {
  return isIPv6(address) ? new SocketAddress({ address, family: 'ipv6' }).address : address;
}
