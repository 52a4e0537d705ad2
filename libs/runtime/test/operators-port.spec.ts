import { Access, Public } from '@crm/access';
import { AUDIENCES } from '@crm/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Body, Controller, Get, Post } from '@nestjs/common';
import type { RunningService } from '../src/index.js';
import { startWith, tokenOf } from './harness.js';

@Controller('api/auth')
class UsersController {
  @Get('me')
  @Access({ right: 'read' })
  me(): object {
    return { of: 'users' };
  }
}

@Controller('operators/api/auth')
class OperatorsController {
  @Get('me')
  @Access({ right: 'read', proof: false })
  me(): object {
    return { of: 'operators' };
  }

  @Post('login')
  @Public()
  login(@Body() body: object): object {
    return { of: 'operators', ...body };
  }
}

describe('the port for operators', () => {
  let service: RunningService;
  let user: string;
  let operator: string;
  beforeAll(async () => {
    service = await startWith({
      controllers: [UsersController, OperatorsController],
      config: { name: 'identity', operatorsPort: 0, trustedProxies: ['127.0.0.1'] },
    });
    user = await tokenOf();
    operator = await tokenOf({ aud: AUDIENCES.admin, tid: undefined, roles: ['reviewer'] });
  });
  afterAll(() => service?.close());

  const get = async (port: 'users' | 'operators', path: string, token?: string, headers: object = {}) => {
    const url = port === 'users' ? service.url : (service.operatorsUrl as string);
    const answer = await fetch(url + path, {
      headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
    });
    const { of, code, instance } = (await answer.json()) as { of?: string; code?: string; instance?: string };
    return [answer.status, of ?? code, instance];
  };

  it('serves operators’ routes, and takes the tokens of operators', async () => {
    expect(await get('operators', '/operators/api/auth/me', operator)).toEqual([200, 'operators', undefined]);
    expect(await get('users', '/api/auth/me', user)).toEqual([200, 'users', undefined]);
    const answer = await fetch(`${service.operatorsUrl}/operators/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"email":"a"}',
    });
    expect(await answer.json()).toEqual({ of: 'operators', email: 'a' });
  });

  it.each([
    ['users', 'a token of an operator', '/api/auth/me', 'operator'],
    ['operators', 'a token of a user', '/operators/api/auth/me', 'user'],
  ] as const)('takes no other: at the port of %s %s', async (port, _what, path, whose) => {
    const token = whose === 'user' ? user : operator;
    // A problem names the path that the route has at the public address.
    expect(await get(port, path, token)).toEqual([401, 'UNAUTHENTICATED', '/api/auth/me']);
    expect(await get(port, path)).toEqual([401, 'UNAUTHENTICATED', '/api/auth/me']);
  });

  it.each([
    '/operators/api/auth/me',
    '/%6fperators/api/auth/me',
    '/operators/api/%61uth/me',
    '/operators/api/openapi.json',
  ])('is the only one that does, however the path is spelled and whatever the request says: %s', async (path) => {
    for (const headers of [
      {},
      { 'x-forwarded-host': '127.0.0.1:6001', 'x-forwarded-for': '127.0.0.1' },
      { 'x-original-url': path, 'x-forwarded-prefix': '/operators' },
    ]) {
      for (const token of [user, operator, undefined]) {
        expect((await get('users', path, token, headers)).slice(0, 2)).toEqual([404, 'NOT_FOUND']);
      }
    }
  });

  it.each(['/api/auth/me', '/api/openapi.json', '/auth/me', '/operators', '/'])(
    'serves nothing else: %s',
    async (path) => {
      for (const token of [user, operator]) {
        expect((await get('operators', path, token)).slice(0, 2)).toEqual([404, 'NOT_FOUND']);
      }
    },
  );

  it('is documented with the paths of the public address, apart from the routes of users', async () => {
    const pathsAt = async (url: string) => {
      const { paths } = (await (await fetch(url)).json()) as { paths: object };
      return Object.keys(paths);
    };
    const document = `${service.operatorsUrl}/operators/api/openapi.json`;
    expect(await pathsAt(document)).toEqual(['/api/auth/me', '/api/auth/login']);
    expect(await pathsAt(`${service.url}/api/openapi.json`)).toEqual(['/api/auth/me']);
    const routes = (await (await fetch(`${service.operationsUrl}/routes`)).json()) as { path: string }[];
    expect(routes.map(({ path }) => path).filter((path) => path.startsWith('/operators'))).toEqual([]);
  });
});
