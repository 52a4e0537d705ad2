import type { Principal } from '@crm/context';
import { type LimitState, PlatformError } from '@crm/contracts';
import { limitHeaders, limitState } from '@crm/http';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { isCredentialCall, presentedHookId } from '../routing/routing.js';
import { addressKey, isLoopback } from './client-address.js';
import { type LimitName, WINDOW_SECONDS } from './limits.js';

/** Characters of a presented hook id that count; the caller decides how long it is. */
const HOOK_KEY_LENGTH = 64;

/**
 * Counts requests in memory, for each replica of the gateway separately. The limiters have the interface of
 * rate-limiter-flexible, whose stores for Redis or Valkey take the place of the memory when replicas share their limits.
 */
@Injectable()
export class RateLimitService {
  private readonly limiters: Readonly<Record<LimitName, RateLimiterMemory>>;
  private readonly quotas: GatewayConfig['limits'];
  /** Outside production, a sign-in from loopback counts only when it fails: demos and tests sign in all the time. */
  private readonly sparesLocalSignIns: boolean;
  private readonly spared = new WeakMap<FastifyRequest, string>();

  constructor(@Inject(GATEWAY_CONFIG) config: GatewayConfig) {
    this.quotas = config.limits;
    this.sparesLocalSignIns = config.service.profile !== 'production';
    const limiter = (name: LimitName) =>
      new RateLimiterMemory({ keyPrefix: name, points: config.limits[name], duration: WINDOW_SECONDS });
    this.limiters = {
      tenant: limiter('tenant'),
      principal: limiter('principal'),
      address: limiter('address'),
      hook: limiter('hook'),
      hookAddress: limiter('hookAddress'),
    };
  }

  /**
   * Counts a request and sets the headers of the answer that say what is left.
   * @throws PlatformError RATE_LIMITED
   */
  async admit(request: FastifyRequest, reply: FastifyReply, path: string, principal?: Principal): Promise<void> {
    if (principal) {
      const who = `${principal.tenantId}:${principal.kind}:${principal.userId}`;
      return this.count(reply, [
        ['principal', who],
        ['tenant', principal.tenantId],
      ]);
    }
    const address = addressKey(request.ip);
    const hookId = presentedHookId(path);
    if (hookId !== undefined) {
      return this.count(reply, [
        ['hook', hookId.slice(0, HOOK_KEY_LENGTH)],
        ['hookAddress', address],
      ]);
    }
    if (this.sparesLocalSignIns && isCredentialCall(path) && isLoopback(request.ip)) {
      const state = await this.limiters.address.get(address);
      if (state && state.consumedPoints >= this.quotas.address) throw refusal([this.stateOf('address', state)]);
      this.spared.set(request, address);
      return;
    }
    return this.count(reply, [['address', address]]);
  }

  /** Counts a spared request if it failed. @returns undefined when there is nothing to count */
  settle(request: FastifyRequest, status: number): Promise<unknown> | undefined {
    const address = this.spared.get(request);
    return address !== undefined && status >= 400 ? this.limiters.address.penalty(address) : undefined;
  }

  private async count(reply: FastifyReply, keys: readonly (readonly [LimitName, string])[]): Promise<void> {
    const states: LimitState[] = [];
    for (const [name, key] of keys) {
      try {
        states.push(this.stateOf(name, await this.limiters[name].consume(key)));
      } catch (exhausted) {
        if (!(exhausted instanceof RateLimiterRes)) throw exhausted;
        throw refusal([...states, this.stateOf(name, exhausted)]);
      }
    }
    reply.headers(limitHeaders(states));
  }

  private stateOf(name: LimitName, count: RateLimiterRes): LimitState {
    return limitState(this.limiters[name], count);
  }
}

/** @param states of the limits that were applied, the exhausted one last */
function refusal(states: readonly LimitState[]): PlatformError {
  return new PlatformError('RATE_LIMITED', undefined, {
    retryAfterSeconds: states.at(-1)?.resetSeconds,
    limits: states,
  });
}
