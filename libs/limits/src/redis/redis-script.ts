import { createHash } from 'node:crypto';
import { createClient } from '@redis/client';

const CONNECT_TIMEOUT_MS = 2_000;
/** The server's machine may vanish without a word. */
const KEEP_ALIVE_MS = 5_000;
const LONGEST_PAUSE_MS = 2_000;

export interface ConnectionEvents {
  /** The server can be asked. */
  onReady(): void;
  /** The server cannot be asked; repeated with every attempt to reach it. */
  onError(error: Error): void;
}

/** One script on a Redis or Valkey server, called by its hash. The connection is made anew whenever it is lost. */
export class RedisScript {
  private readonly client;
  private readonly hash: string;

  /** @param url redis: or rediss:, with user and password where the server wants them */
  constructor(
    url: string,
    private readonly text: string,
    { onReady, onError }: ConnectionEvents,
  ) {
    this.hash = createHash('sha1').update(text).digest('hex');
    this.client = createClient({
      url,
      // What cannot be asked now is decided without the server, not later.
      disableOfflineQueue: true,
      maintNotifications: 'disabled',
      socket: {
        connectTimeout: CONNECT_TIMEOUT_MS,
        keepAlive: true,
        keepAliveInitialDelay: KEEP_ALIVE_MS,
        reconnectStrategy: (attempts: number) => Math.min(50 * 2 ** attempts, LONGEST_PAUSE_MS),
      },
    });
    this.client.on('ready', onReady).on('error', onError);
  }

  /** Begins to connect, and goes on until `close`. */
  open(): void {
    // It only rejects when the connection is closed before it was made; failed attempts are told by the event.
    this.client.connect().catch(() => undefined);
  }

  get isReady(): boolean {
    return this.client.isReady;
  }

  /** @throws Error when the server does not answer, or refuses */
  async call(args: readonly string[]): Promise<unknown> {
    try {
      return await this.client.sendCommand(['EVALSHA', this.hash, ...args]);
    } catch (error) {
      if (!isUnknownScript(error)) throw error;
      // A server that has started since; it keeps the script from now on.
      return this.client.sendCommand(['EVAL', this.text, ...args]);
    }
  }

  close(): void {
    this.client.destroy();
  }
}

const isUnknownScript = (error: unknown): boolean => error instanceof Error && error.message.startsWith('NOSCRIPT');
