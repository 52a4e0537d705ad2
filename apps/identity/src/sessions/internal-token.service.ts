import {
  AUDIENCES,
  appRole,
  INTERNAL_TOKEN_SECONDS,
  PlatformError,
  type RpcRequest,
  type rpc,
  SCOPE_NAMES,
} from '@crm/contracts';
import { Database, newId } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { UserRepository } from '../people/people.repository.js';
import { TenantService } from '../people/people.service.js';
import { actorOf, type TokenContent, TokenSigner } from './signing-key.service.js';

type Request = RpcRequest<typeof rpc.identity.mintInternalToken>;

@Injectable()
export class InternalTokenService {
  constructor(
    private readonly database: Database,
    private readonly users: UserRepository,
    private readonly tenants: TenantService,
    private readonly signer: TokenSigner,
  ) {}

  /** @throws PlatformError NOT_FOUND for an unknown tenant or user, FORBIDDEN for a user who is not active */
  async mint(request: Request): Promise<{ token: string; expiresIn: number }> {
    const tokenId = newId();
    const content = request.actor ? await this.forApp(request, request.actor) : await this.forUser(request);
    const token = await this.signer.sign(content, INTERNAL_TOKEN_SECONDS, tokenId);
    return { token, expiresIn: INTERNAL_TOKEN_SECONDS };
  }

  /** With the current roles of the user: a role that was taken away does not survive in work that was started before. */
  private async forUser({ tenantId, userId }: Request): Promise<TokenContent> {
    const user = await this.database.transaction(tenantId, (tx) => this.users.lockForIssue(tx, userId));
    if (!user) throw new PlatformError('NOT_FOUND', 'User not found');
    if (user.status !== 'active') throw new PlatformError('FORBIDDEN', "The user isn't active");
    return {
      aud: AUDIENCES.internal,
      sub: user.id,
      tid: tenantId,
      roles: [...user.roles],
      scopes: [...SCOPE_NAMES],
    };
  }

  /** An installation keeps working after the user who installed it has left; its scopes limit it. */
  private async forApp({ tenantId }: Request, actor: NonNullable<Request['actor']>): Promise<TokenContent> {
    await this.tenants.get(tenantId);
    return {
      aud: AUDIENCES.internal,
      sub: actor.installationId,
      tid: tenantId,
      roles: [appRole(actor.appKey)],
      scopes: [...actor.scopes],
      act: actorOf(actor),
    };
  }
}
