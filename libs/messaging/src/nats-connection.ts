import { PlatformError, type ServiceName } from '@crm/contracts';
import { type JetStreamClient, jetstream } from '@nats-io/jetstream';
import type { NatsConnection as Connection, ConnectionOptions, Status } from '@nats-io/nats-core';
import { connect } from '@nats-io/transport-node';
import { Logger } from '@nestjs/common';
import { inboxPrefix } from './broker-names.js';

/** With `tls://` a server without TLS is refused: by default the client would follow anyone who stands between them. */
export function serversOf(url: string): Pick<ConnectionOptions, 'servers' | 'tls'> {
  const servers = url.split(',');
  return { servers, ...(servers.some((server) => server.trim().startsWith('tls://')) && { tls: {} }) };
}

/** How a service reaches NATS; read from the environment in the service's `config.ts`. */
export interface MessagingConfig {
  url: string;
  user: string;
  password: string;
  service: ServiceName;
}

export interface MessagingModuleOptions {
  config: MessagingConfig;
  /** Starts the relay of the service's outbox; needs the DatabaseModule. */
  outbox?: boolean;
}

export const MESSAGING_OPTIONS = Symbol('crm:messaging-options');

const FLUSH_TIMEOUT_MS = 2_000;

/** The one connection of a process. It reconnects automatically after every loss, which is logged. */
export class NatsConnection {
  private readonly logger = new Logger('Nats');
  private readonly statusListeners = new Set<(status: Status) => void>();
  readonly jetstream: JetStreamClient;
  private isLost = false;

  private constructor(
    readonly connection: Connection,
    readonly service: ServiceName,
  ) {
    this.jetstream = jetstream(connection);
    this.watchStatus().catch((error: unknown) => this.logger.error(error));
  }

  /** Returns whether the connection is known to be lost, until it is back. */
  get isCut(): boolean {
    return this.isLost;
  }

  /** Waits until the server is available. Rejects when it refuses the user. */
  static async open(config: MessagingConfig): Promise<NatsConnection> {
    const connection = await connect({
      ...serversOf(config.url),
      user: config.user,
      pass: config.password,
      name: config.service,
      inboxPrefix: inboxPrefix(config.service),
      waitOnFirstConnect: true,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 250,
      // A password rotation must not end the connection permanently.
      ignoreAuthErrorAbort: true,
      pingInterval: 10_000,
      maxPingOut: 2,
      // Two errors with their stacks for each request, made before it is sent: a tenth of the caller's processor time. The
      // errors of this platform name the call instead.
      noAsyncTraces: true,
    });
    return new NatsConnection(connection, config.service);
  }

  /**
   * Resolves when the server has what was sent; rejects with SERVICE_UNAVAILABLE when it does not answer within two seconds.
   * Not called `ping`: a service is ready without its broker.
   */
  async flush(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${FLUSH_TIMEOUT_MS} ms`)), FLUSH_TIMEOUT_MS);
    });
    try {
      await Promise.race([this.connection.flush(), timeout]);
    } catch (error) {
      throw new PlatformError('SERVICE_UNAVAILABLE', 'The message broker is not available', { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  onReconnect(listener: () => void): () => void {
    return this.onStatus((status) => {
      if (status.type === 'reconnect') listener();
    });
  }

  /** Losses, reconnections and refusals by the server. @returns removes the listener */
  onStatus(listener: (status: Status) => void): () => void {
    this.statusListeners.add(listener);
    return () => this.statusListeners.delete(listener);
  }

  /** Sends buffered data and closes; without a server it only closes. */
  async close(): Promise<void> {
    if (this.connection.isClosed()) return;
    await this.flush().then(
      () => this.connection.drain(),
      () => this.connection.close(),
    );
  }

  private async watchStatus(): Promise<void> {
    for await (const status of this.connection.status()) {
      if (status.type === 'disconnect') this.logger.warn(`Lost the connection to ${status.server}; reconnecting`);
      if (status.type === 'error') this.logger.error(`The server reports: ${status.error.message}`);
      if (status.type === 'reconnect') this.logger.log(`Reconnected to ${status.server}`);
      for (const listener of this.statusListeners) listener(status);
      if (status.type === 'disconnect') this.isLost = true;
      // After the listeners, who forget what they may have missed.
      if (status.type === 'reconnect') this.isLost = false;
    }
  }
}
