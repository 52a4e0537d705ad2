import { PlatformError, rpc } from '@crm/contracts';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { RunningWorkflow } from './claimed-run.repository.js';

/** Seconds before its expiry at which a token is no longer used: a call must arrive while the token is valid. */
const RESERVE_SECONDS = 20;
/** Tokens of so many workflows are kept; those not used for longest go first. */
const KEPT_TOKENS = 10_000;

/**
 * Tokens for work that outlives the call that started it. Identity decides at each minting which rights the author has
 * now, so that a kept token is less than a minute behind. A change of the author's roles revokes the tokens minted before
 * it, kept ones included; whether the author may still do the work is decided by the next minting.
 */
@Injectable()
export class RunTokenService {
  private readonly kept = new LRUCache<string, string>({ max: KEPT_TOKENS });

  constructor(private readonly rpc: Rpc) {}

  /**
   * Does work with a token for the workflow's author, or for the app that it belongs to with the scopes that the
   * installation was granted. A token that is refused is not used again, and the work is tried once more with another one.
   * @throws what the work throws; what identity answers when it no longer mints for the author or the app
   */
  async use<T>(tenantId: string, workflow: RunningWorkflow, work: (token: string) => Promise<T>): Promise<T> {
    try {
      return await this.tryOnce(tenantId, workflow, work);
    } catch (error) {
      if (!isTokenRefused(error)) throw error;
      return this.tryOnce(tenantId, workflow, work);
    }
  }

  private async tryOnce<T>(
    tenantId: string,
    workflow: RunningWorkflow,
    work: (token: string) => Promise<T>,
  ): Promise<T> {
    const token = await this.get(tenantId, workflow);
    try {
      return await work(token);
    } catch (error) {
      if (isTokenRefused(error)) this.drop(workflow, token);
      throw error;
    }
  }

  private async get(tenantId: string, workflow: RunningWorkflow): Promise<string> {
    const name = nameOf(workflow);
    const known = this.kept.get(name);
    if (known !== undefined) return known;
    const { origin, authorId: userId } = workflow;
    const actor = origin && {
      appKey: origin.appKey,
      installationId: origin.installationId,
      scopes: [...origin.grantedScopes],
    };
    const minted = await this.rpc.call(rpc.identity.mintInternalToken, { tenantId, userId, ...(actor && { actor }) });
    const usableSeconds = minted.expiresIn - RESERVE_SECONDS;
    if (usableSeconds > 0) this.kept.set(name, minted.token, { ttl: usableSeconds * 1000 });
    return minted.token;
  }

  /** Does not touch a newer token, which another run of the workflow has requested meanwhile. */
  private drop(workflow: RunningWorkflow, token: string): void {
    const name = nameOf(workflow);
    if (this.kept.get(name) === token) this.kept.delete(name);
  }
}

const nameOf = ({ id, version }: RunningWorkflow): string => `${id} ${version}`;

/** UNAUTHENTICATED, TOKEN_EXPIRED or TOKEN_REVOKED: the called service has done nothing. */
const isTokenRefused = (error: unknown): boolean => error instanceof PlatformError && error.status === 401;
