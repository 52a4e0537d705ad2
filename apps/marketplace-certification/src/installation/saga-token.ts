import { rpc } from '@crm/contracts';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import type { Installation } from './installation.js';

/**
 * The token that a saga puts a package in place with. The caller's own token may run out or be revoked before the work is
 * done, so each call gets an internal one (60 s) with the roles that the acting user has at that moment: somebody who may
 * no longer install brings nothing more into the workspace. Taking away needs no token.
 */
@Injectable()
export class SagaToken {
  constructor(private readonly rpc: Rpc) {}

  async mint(tenantId: string, installation: Pick<Installation, 'actingUserId'>): Promise<string> {
    const { token } = await this.rpc.call(rpc.identity.mintInternalToken, {
      tenantId,
      userId: installation.actingUserId,
    });
    return token;
  }
}
