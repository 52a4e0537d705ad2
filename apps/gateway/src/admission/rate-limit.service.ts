import type { Principal } from '@crm/access';
import { type LimitState, PlatformError } from '@crm/contracts';
import { addressKey, isLoopback, Limiter, LimiterStore, LimitGroup, limitHeaders } from '@crm/limits';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { GATEWAY_CONFIG, type GatewayConfig, type LimitName } from '../config.js';
import { presentedHookId, type RouteClass } from '../routing/routing.js';

/** Characters of a presented hook id that count; the caller decides how long it is. */
const HOOK_KEY_LENGTH = 64;

/** Counts requests in the store of the service: Redis for all replicas, or the memory of this one. */
@Injectable()
export class RateLimitService {
  private readonly users: LimitGroup;
  private readonly apps: LimitGroup;
  private readonly hooks: LimitGroup;
  private readonly addresses: LimitGroup;
  /** Outside production a sign-in from loopback counts only when it fails, and a token never: demos and tests try many. */
  private readonly sparesLocal: boolean;
  private readonly spared = new WeakMap<FastifyRequest, string>();

  constructor(store: LimiterStore, @Inject(GATEWAY_CONFIG) config: GatewayConfig) {
    this.sparesLocal = config.service.profile !== 'production';
    const limiter = (name: LimitName) => new Limiter(store, config.limits[name]);
    const tenant = limiter('tenant');
    this.users = new LimitGroup([limiter('principal'), tenant]);
    this.apps = new LimitGroup([limiter('app'), tenant]);
    this.hooks = new LimitGroup([limiter('hook'), limiter('hookAddress')]);
    this.addresses = new LimitGroup([limiter('address')]);
  }

  /** @throws PlatformError RATE_LIMITED */
  admit(
    request: FastifyRequest,
    reply: FastifyReply,
    { limit }: RouteClass,
    path: string,
    principal?: Principal,
  ): void | Promise<void> {
    if (principal) {
      const { tenantId, kind, userId, apiKeyId } = principal;
      const group = kind === 'app' ? this.apps : this.users;
      return tell(reply, group.consume(`${tenantId}:${kind}:${apiKeyId ?? userId}`, tenantId));
    }
    const address = addressKey(request.ip);
    const hookId = limit === 'hook' ? presentedHookId(path) : undefined;
    if (hookId !== undefined) {
      // Ids are no secret: who presents them from elsewhere cannot shut a hook for the system that it was made for.
      return tell(reply, this.hooks.consume(`${address} ${hookId.slice(0, HOOK_KEY_LENGTH)}`, address));
    }
    if (limit === 'address' && this.isSpared(request)) {
      return this.addresses.refuseExhausted(address).then(() => {
        this.spared.set(request, address);
      });
    }
    return tell(reply, this.addresses.consume(address));
  }

  /** @throws PlatformError RATE_LIMITED */
  admitAddress(request: FastifyRequest, reply: FastifyReply): void | Promise<void> {
    return tell(reply, this.addresses.consume(addressKey(request.ip)));
  }

  /** A token that was not seen before costs a signature: an address pays a point, and gets it back if the token is valid. */
  async tryToken(request: FastifyRequest, check: () => Promise<Principal>): Promise<Principal> {
    if (this.isSpared(request)) return check();
    const address = addressKey(request.ip);
    await this.addresses.consume(address);
    let isInvalid = false;
    try {
      return await check();
    } catch (error) {
      isInvalid = isAboutToken(error);
      throw error;
    } finally {
      if (!isInvalid) await this.addresses.giveBack(address);
    }
  }

  /** A token that was seen before and is no longer valid. @throws PlatformError RATE_LIMITED, otherwise the refusal */
  async refuseToken(request: FastifyRequest, refusal: unknown): Promise<never> {
    if (isAboutToken(refusal) && !this.isSpared(request)) await this.addresses.consume(addressKey(request.ip));
    throw refusal;
  }

  /** Counts a spared request if it failed. @returns undefined when there is nothing to count */
  settle(request: FastifyRequest, status: number): Promise<unknown> | undefined {
    const address = this.spared.get(request);
    return address !== undefined && status >= 400 ? this.addresses.penalise(address) : undefined;
  }

  private isSpared(request: FastifyRequest): boolean {
    return this.sparesLocal && isLoopback(request.ip);
  }
}

export const isAboutToken = (error: unknown): boolean => error instanceof PlatformError && error.status === 401;

/** At once while the store answers at once: a promise for each request would cost as much as the counting. */
function tell(
  reply: FastifyReply,
  states: readonly LimitState[] | Promise<readonly LimitState[]>,
): void | Promise<void> {
  if (states instanceof Promise) {
    return states.then((later) => {
      reply.headers(limitHeaders(later));
    });
  }
  reply.headers(limitHeaders(states));
}
