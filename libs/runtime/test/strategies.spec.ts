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

/** Opens for whoever knows what is behind the door, which is different in each application. */
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

  @Get('admin')
  @Access({ right: 'administer' })
  admin(): object {
    return {};
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

  afterAll(async () => {
    await gold.close();
    await silver.close();
  });

  const get = async (service: RunningService, path: string, token?: string) => {
    const response = await fetch(`${service.url}/api/crm/${path}`, {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    });
    const body = (await response.json()) as { code?: string; userId?: string; tenantId?: string };
    return body.code ?? body;
  };

  const open = async (service: RunningService, headers: Record<string, string>) => {
    const response = await fetch(`${service.url}/api/crm/door`, { method: 'POST', headers });
    return (await response.json()) as { code?: string; proven?: string };
  };

  it('of two applications in one process do not mix issuers or audiences', async () => {
    const golden = await tokenOf({ iss: 'http://gold.test' });
    const silvern = await tokenOf({
      iss: 'http://silver.test',
      aud: 'platform-admin',
      tid: undefined,
      roles: ['reviewer'],
    });
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
    expect(await open(gold, { 'x-password': 'silver' })).toMatchObject({ code: 'INVALID_CREDENTIALS' });
    expect(await open(silver, { 'x-password': 'gold' })).toMatchObject({ code: 'INVALID_CREDENTIALS' });
  });

  it('keep working when another application of the process ends', async () => {
    const bronze = await start('bronze', 'http://bronze.test', 'platform-api');
    expect(await open(bronze, { 'x-password': 'bronze' })).toEqual({ proven: 'bronze from 127.0.0.1' });
    await bronze.close();
    expect(await open(gold, { 'x-password': 'gold' })).toEqual({ proven: 'gold from 127.0.0.1' });
  });

  it('answer with an internal error when they fail for a reason other than the credentials', async () => {
    expect(await open(gold, {})).toMatchObject({ code: 'INTERNAL_ERROR' });
  });

  it('of access tokens set the principal and the request context before rights are checked', async () => {
    const member = await tokenOf({ iss: 'http://gold.test' });
    expect(await get(gold, 'caller', member)).toEqual({ userId: 'u-1', tenantId: TENANT });
    expect(await get(gold, 'admin', member)).toBe('FORBIDDEN');
    expect(await get(gold, 'admin')).toBe('UNAUTHENTICATED');
    expect(await get(gold, 'admin', 'no-token')).toBe('UNAUTHENTICATED');
  });

  it("of access tokens refuse alike in the guard of every route and by Passport's own path", async () => {
    const misshapen = await tokenOf({ iss: 'http://gold.test', roles: 'owner' });
    for (const token of [undefined, 'x', misshapen]) {
      expect(await get(gold, 'caller', token)).toBe('UNAUTHENTICATED');
      expect(await get(gold, 'token', token)).toBe('UNAUTHENTICATED');
    }
  });
});
