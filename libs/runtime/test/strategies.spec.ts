import {
  Access,
  AccessTokenStrategy,
  ApplicationStrategy,
  type CredentialRequest,
  CurrentPrincipal,
  type Principal,
  Proven,
  Public,
  StrategyGuard,
} from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, HttpCode, Inject, Injectable, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { RunningService } from '../src/index.js';
import { startWith, TENANT, tokenOf } from './harness.js';

const DOOR = 'door';

/** Opens for anyone who knows what is behind the door, which is different in each application. */
@Injectable()
class PasswordStrategy extends ApplicationStrategy<string> {
  constructor(@Inject(DOOR) private readonly behind: string) {
    super();
  }

  override async validate({ headers, ip }: CredentialRequest): Promise<string> {
    if (headers['x-password'] === undefined) throw new Error('a defect');
    if (headers['x-password'] !== this.behind) throw new PlatformError('INVALID_CREDENTIALS');
    return `${this.behind} from ${ip}`;
  }
}

@Controller('api/crm')
class DoorController {
  @Get('caller')
  @Access({ right: 'read' })
  caller(@CurrentPrincipal() { userId }: Principal, @Req() { callContext }: FastifyRequest): object {
    return { userId, tenantId: callContext.tenantId };
  }

  @Get('token')
  @Public()
  @UseGuards(StrategyGuard(AccessTokenStrategy))
  token(@Proven() { userId }: Principal): object {
    return { userId };
  }

  @Post('door')
  @HttpCode(200)
  @Public()
  @UseGuards(StrategyGuard(PasswordStrategy))
  open(@Proven() proven: string): object {
    return { proven };
  }
}

const start = (behind: string, issuer: string, audience: 'platform-api' | 'platform-admin') =>
  startWith({
    controllers: [DoorController],
    providers: [PasswordStrategy, { provide: DOOR, useValue: behind }],
    config: { issuer },
    audiences: [audience],
  });

describe('strategies', () => {
  let gold: RunningService;
  let silver: RunningService;

  beforeAll(async () => {
    gold = await start('gold', 'http://gold.test', 'platform-api');
    silver = await start('silver', 'http://silver.test', 'platform-admin');
  });

  afterAll(() => Promise.all([gold.close(), silver.close()]));

  /** What the answer says, or the code of its problem. */
  const answerOf = async (service: RunningService, path: string, init: RequestInit) => {
    const response = await fetch(`${service.url}/api/crm/${path}`, init);
    const body = (await response.json()) as { code?: string };
    return body.code ?? body;
  };
  const get = (service: RunningService, path: string, token?: string) =>
    answerOf(service, path, { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } });
  const open = (service: RunningService, headers: Record<string, string>) =>
    answerOf(service, 'door', { method: 'POST', headers });

  it('of two applications in one process do not mix issuers or audiences', async () => {
    const golden = await tokenOf({ iss: 'http://gold.test' });
    const ofSilver = { iss: 'http://silver.test', aud: 'platform-admin' };
    const silvern = await tokenOf({ ...ofSilver, tid: undefined, roles: ['reviewer'] });
    for (const path of ['caller', 'token']) {
      expect(await get(gold, path, golden)).toMatchObject({ userId: 'u-1' });
      expect(await get(silver, path, silvern)).toMatchObject({ userId: 'u-1' });
      expect(await get(gold, path, silvern)).toBe('UNAUTHENTICATED');
      expect(await get(silver, path, golden)).toBe('UNAUTHENTICATED');
      const wrongAudience = await tokenOf({ iss: 'http://silver.test' });
      expect(await get(silver, path, wrongAudience)).toBe('UNAUTHENTICATED');
    }
  });

  it('of two applications in one process do not mix credentials', async () => {
    expect(await open(gold, { 'x-password': 'gold' })).toEqual({ proven: 'gold from 127.0.0.1' });
    expect(await open(silver, { 'x-password': 'silver' })).toEqual({ proven: 'silver from 127.0.0.1' });
    expect(await open(gold, { 'x-password': 'silver' })).toBe('INVALID_CREDENTIALS');
    expect(await open(silver, { 'x-password': 'gold' })).toBe('INVALID_CREDENTIALS');
  });

  it('keep working when another application of the process ends', async () => {
    const bronze = await start('bronze', 'http://bronze.test', 'platform-api');
    expect(await open(bronze, { 'x-password': 'bronze' })).toEqual({ proven: 'bronze from 127.0.0.1' });
    await bronze.close();
    expect(await open(gold, { 'x-password': 'gold' })).toEqual({ proven: 'gold from 127.0.0.1' });
  });

  it('answer with an internal error when they fail for a reason other than the credentials', async () => {
    expect(await open(gold, {})).toBe('INTERNAL_ERROR');
  });

  it('of access tokens set the principal and the request context', async () => {
    const member = await tokenOf({ iss: 'http://gold.test' });
    expect(await get(gold, 'caller', member)).toEqual({ userId: 'u-1', tenantId: TENANT });
  });

  it("of access tokens refuse alike in the guard of every route and by Passport's own path", async () => {
    const misshapen = await tokenOf({ iss: 'http://gold.test', roles: 'owner' });
    for (const token of [undefined, 'x', misshapen]) {
      expect(await get(gold, 'caller', token)).toBe('UNAUTHENTICATED');
      expect(await get(gold, 'token', token)).toBe('UNAUTHENTICATED');
    }
  });
});
