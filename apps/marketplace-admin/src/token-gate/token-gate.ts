import { bearerToken, TokenVerifier } from '@crm/access';
import { AUDIENCES, PlatformError } from '@crm/contracts';
import { CREDENTIALS_BODY_LIMIT, listRoutes } from '@crm/http';
import { type INestApplicationContext, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost, ModuleRef } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const AUDIENCE = [AUDIENCES.admin];

/**
 * Looks at the token before the body: the guards of a route come after it was read, so that whoever has no token could have
 * this process read a mebibyte at a time. Routes without a token have short bodies; one that does not exist reads none.
 */
@Injectable()
export class TokenGate implements OnModuleInit {
  private publicRoutes: ReadonlySet<string> = new Set();

  constructor(
    private readonly adapters: HttpAdapterHost,
    private readonly modules: ModuleRef,
    private readonly verifier: TokenVerifier,
  ) {}

  onModuleInit(): void {
    const routes = listRoutes(this.modules as unknown as INestApplicationContext);
    this.publicRoutes = new Set(routes.filter((route) => route.public).map(({ method, path }) => `${method} ${path}`));
    const server = this.adapters.httpAdapter.getInstance<FastifyInstance>();
    server.addHook('onRequest', async (request, reply) => {
      const bytes = announcedBytes(request);
      if (bytes > 0) await this.admit(request, reply, bytes);
    });
  }

  private async admit(request: FastifyRequest, reply: FastifyReply, bytes: number): Promise<void> {
    const { url } = request.routeOptions;
    if (this.publicRoutes.has(`${request.method} ${url}`)) return;
    try {
      if (url === undefined) throw new PlatformError('NOT_FOUND');
      await this.verify(request.headers.authorization);
    } catch (refusal) {
      // Otherwise the server would read the rest of the body, to get to the next request of the connection.
      if (bytes > CREDENTIALS_BODY_LIMIT) reply.header('connection', 'close');
      throw refusal;
    }
  }

  /** @throws PlatformError UNAUTHENTICATED, TOKEN_EXPIRED, TOKEN_REVOKED; SERVICE_UNAVAILABLE while keys or cut-offs are missing */
  private async verify(header: string | undefined): Promise<void> {
    if (this.verifier.recallFrom(header, AUDIENCE)) return;
    const token = bearerToken(header);
    if (token === undefined) throw new PlatformError('UNAUTHENTICATED');
    await this.verifier.verify(token, AUDIENCE);
  }
}

/** The length that a body is going to have; of one that comes in chunks nobody knows it. */
function announcedBytes({ headers }: FastifyRequest): number {
  if (headers['transfer-encoding'] !== undefined) return Number.POSITIVE_INFINITY;
  return Number(headers['content-length'] ?? 0);
}
