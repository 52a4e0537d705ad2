import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Answered {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

type Response = Answered | 'reset' | undefined;

/** A server on this machine that keeps what it gets: a platform, or a program that deliveries are forwarded to. */
export class TestServer {
  readonly received: Received[] = [];
  private readonly server: Server;

  /** @param respond what a request is answered with; nothing for no answer at all, `reset` for a broken connection */
  constructor(public respond: (request: Received) => Response | Promise<Response>) {
    this.server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { method = '', url: path = '', headers } = request;
      const received = { method, path, headers, body: Buffer.concat(chunks).toString() };
      this.received.push(received);
      const answer = await this.respond(received);
      if (answer === 'reset') request.socket.destroy();
      else if (answer) {
        response.writeHead(answer.status, answer.headers);
        response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {}));
      }
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.server.listen(0, '127.0.0.1', resolve);
    });
  }

  async close(): Promise<void> {
    await new Promise((resolve) => {
      this.server.close(resolve);
      this.server.closeAllConnections();
    });
  }
}
