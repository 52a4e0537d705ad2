import type { Principal } from '@crm/context';
import type { LimitState } from '@crm/contracts';
import { Limiter, LimiterStore, limitHeaders } from '@crm/http';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';
import { isCredentialCall, presentedHookId } from '../routing/routing.js';
import { addressKey, isLoopback } from './client-address.js';
import { type LimitName, WINDOW_SECONDS } from './limits.js';

/** Characters of a presented hook id that count; the caller decides how long it is. */
const HOOK_KEY_LENGTH = 64;

/** Counts requests in the store of the service: by default its memory, for each replica of the gateway separately. */
@Injectable()
export class RateLimitService {
  private readonly limiters: Readonly<Record<LimitName, Limiter>>;
  /** Outside production, a sign-in from loopback counts only when it fails: demos and tests sign in all the time. */
  private readonly sparesLocalSignIns: boolean;
  private readonly spared = new WeakMap<FastifyRequest, string>();

  constructor(store: LimiterStore, @Inject(GATEWAY_CONFIG) config: GatewayConfig) {
    this.sparesLocalSignIns = config.service.profile !== 'production';
    const limiter = (name: LimitName) =>
      new Limiter(store, { name, points: config.limits[name], windowSeconds: WINDOW_SECONDS });
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
  admit(request: FastifyRequest, reply: FastifyReply, path: string, principal?: Principal): void | Promise<void> {
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
      return this.limiters.address.refuseExhausted(address).then(() => {
        this.spared.set(request, address);
      });
    }
    return this.count(reply, [['address', address]]);
  }

  /** Counts a spared request if it failed. @returns undefined when there is nothing to count */
  settle(request: FastifyRequest, status: number): Promise<unknown> | undefined {
    const address = this.spared.get(request);
    return address !== undefined && status >= 400 ? this.limiters.address.penalise(address) : undefined;
  }

  /** At once while the store answers at once: a promise for each limit would cost as much as the counting. */
  private count(
    reply: FastifyReply,
    keys: readonly (readonly [LimitName, string])[],
    states: LimitState[] = [],
  ): void | Promise<void> {
    for (let index = states.length; index < keys.length; index += 1) {
      const [name, key] = keys[index] as (typeof keys)[number];
      const state = this.limiters[name].consume(key, states);
      if (state instanceof Promise) return state.then((later) => this.count(reply, keys, [...states, later]));
      states.push(state);
    }
    reply.headers(limitHeaders(states));
  }
}
