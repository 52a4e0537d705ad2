import { MemoryLimiterStore } from '@crm/limits';
import { expect, it } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../config.js';
import { ROUTE_CLASSES } from '../routing/routing.js';
import { RateLimitService } from './rate-limit.service.js';

const names = ['tenant', 'principal', 'app', 'hook', 'hookAddress', 'address'] as const;
const limits = Object.fromEntries(names.map((name) => [name, { name, points: 2, windowSeconds: 60 }]));

it.each([
  ['production', 3, 'RATE_LIMITED'],
  ['development', 3, undefined],
] as const)('%s: of %d sign-ins from this machine the last is refused with %s', async (profile, attempts, code) => {
  const config = { service: { profile }, limits } as unknown as GatewayConfig;
  const service = new RateLimitService(new MemoryLimiterStore(), config);
  const reply = { headers: () => reply } as unknown as FastifyReply;
  const outcomes: unknown[] = [];
  for (let n = 0; n < attempts; n += 1) {
    const request = { ip: n % 2 === 0 ? '127.0.0.1' : '::ffff:127.0.0.1' } as FastifyRequest;
    const admitted = async () => service.admit(request, reply, ROUTE_CLASSES.credentials, '/api/auth/login');
    outcomes.push(
      await admitted().then(
        () => undefined,
        (error) => error.code,
      ),
    );
  }
  expect(outcomes.at(-1)).toBe(code);
});
