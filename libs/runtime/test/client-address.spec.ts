import { Public } from '@crm/access';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Controller, Get, Ip } from '@nestjs/common';
import type { RunningService } from '../src/index.js';
import { startWith } from './harness.js';

@Controller('api/address')
@Public()
class AddressController {
  @Get()
  read(@Ip() address: string) {
    return { address };
  }
}

let service: RunningService;
beforeAll(async () => {
  service = await startWith({
    controllers: [AddressController],
    // Compose and Kubernetes set this; a proxy is known by its address of IPv4.
    config: { host: '::', trustedProxies: ['127.0.0.1'] },
  });
});
afterAll(() => service?.close());

it.each([
  ['127.0.0.1', undefined, '127.0.0.1'],
  ['[::1]', undefined, '::1'],
  ['[::1]', '192.0.2.1', '::1'],
  ['127.0.0.1', '192.0.2.1', '192.0.2.1'],
  ['127.0.0.1', '::ffff:192.0.2.1', '192.0.2.1'],
  ['127.0.0.1', '::FFFF:192.0.2.1, ::ffff:127.0.0.1', '192.0.2.1'],
  ['127.0.0.1', '2001:db8::1', '2001:db8::1'],
])('a client of %s that is forwarded for %s is named %s', async (host, forwarded, address) => {
  const url = new URL(service.url);
  const headers = { ...(forwarded !== undefined && { 'x-forwarded-for': forwarded }) };
  const answer = await fetch(`http://${host}:${url.port}/api/address`, { headers });
  expect(await answer.json()).toEqual({ address });
});
