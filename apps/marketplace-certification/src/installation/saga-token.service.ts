import { rpc } from '@crm/contracts';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import type { Installation } from './installation.entity.js';

/**
 * The token with which a saga provisions a package. The token of the request may expire or be revoked before the work is
 * done, so each call gets an internal one (60 s) with the roles that the acting user has at that moment: a user who may no
 * longer install brings nothing more into the tenant. Removing needs no token.
 */
@Injectable()
export class SagaTokenService {
  constructor(private readonly rpc: Rpc) {}

  async mint(tenantId: string, installation: Pick<Installation, 'actingUserId'>): Promise<string> {
    const { token } = await this.rpc.call(rpc.identity.mintInternalToken, {
      tenantId,
      userId: installation.actingUserId,
    });
    return token;
  }
}
