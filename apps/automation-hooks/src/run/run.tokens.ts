import { rpc } from '@crm/contracts';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import type { Workflow } from '../workflow/workflow.entity.js';

/** Seconds before its end at which a token is not used any more: a call must arrive while it is valid. */
const RESERVE_SECONDS = 20;
/** Tokens of so many workflows are kept; the oldest go first. */
const KEPT_TOKENS = 10_000;

/**
 * Tokens for work that outlives the call that started it. Identity decides at each minting which rights the author has
 * now, so a kept token is less than a minute behind.
 */
@Injectable()
export class RunTokens {
  private readonly kept = new Map<string, { token: string; until: number }>();

  constructor(private readonly rpc: Rpc) {}

  /** A token for the workflow's author, or for the app it came with and what that installation was granted. */
  async get(tenantId: string, workflow: Workflow): Promise<string> {
    const name = `${workflow.id} ${workflow.version}`;
    const known = this.kept.get(name);
    if (known && known.until > Date.now()) return known.token;
    const { origin, authorId: userId } = workflow;
    const actor = origin && {
      appKey: origin.appKey,
      installationId: origin.installationId,
      scopes: [...origin.grantedScopes],
    };
    const minted = await this.rpc.call(rpc.identity.mintInternalToken, { tenantId, userId, ...(actor && { actor }) });
    this.kept.delete(name);
    this.kept.set(name, { token: minted.token, until: Date.now() + (minted.expiresIn - RESERVE_SECONDS) * 1000 });
    if (this.kept.size > KEPT_TOKENS) this.kept.delete(this.kept.keys().next().value as string);
    return minted.token;
  }
}
