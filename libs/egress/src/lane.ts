import { hostOf, portOf } from '@crm/address-policy';
import { Client } from 'undici';
import { connectChecked, type Dial } from './connector.js';
import { EgressError } from './errors.js';
import { lookupChecked } from './lookup.js';
import type { Resolver } from './resolver.js';

/** Options shared by all lanes of a client. */
export interface LaneOptions {
  resolver: Resolver;
  ca: string | undefined;
  connectMs: number;
  maxHeaderBytes: number;
  keepAliveMs: number;
  dial: Dial | undefined;
}

/**
 * One undici client with at most one socket, which carries one request at a time to one origin. Whenever it
 * needs a socket it looks up the name and checks the addresses.
 */
export class Lane {
  readonly createdAt = performance.now();
  readonly client: Client;
  /** The peer address of the current socket. */
  remoteAddress: string | undefined;
  private readonly closing = new AbortController();

  /**
   * @param origin a URL of the origin, already checked by the policy
   * @param exempt whether the origin is an exception to the policy
   */
  constructor(
    readonly origin: URL,
    private readonly exempt: boolean,
    private readonly options: LaneOptions,
  ) {
    this.client = new Client(origin.origin, {
      pipelining: 1,
      keepAliveTimeout: options.keepAliveMs,
      keepAliveMaxTimeout: options.keepAliveMs,
      maxHeaderSize: options.maxHeaderBytes,
      // The exchange enforces the time limits, including those for phases that undici does not know.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (_options, callback) => {
        this.openSocket().then(
          (socket) => callback(null, socket),
          (error: Error) => callback(error, null),
        );
      },
    });
  }

  private async openSocket() {
    const hostname = hostOf(this.origin);
    const addresses = await lookupChecked(hostname, this.options.resolver, {
      exempt: this.exempt,
      signal: this.closing.signal,
    });
    if (this.closing.signal.aborted) throw new EgressError('connect', 'The call was cancelled');
    const socket = await connectChecked(
      { hostname, port: portOf(this.origin), addresses, exempt: this.exempt },
      { ca: this.options.ca, timeoutMs: this.options.connectMs, signal: this.closing.signal, dial: this.options.dial },
    );
    this.remoteAddress = socket.remoteAddress;
    return socket;
  }

  /** Closes the socket, even one that is still being opened. */
  async destroy(): Promise<void> {
    this.closing.abort();
    await this.client.destroy();
  }
}
