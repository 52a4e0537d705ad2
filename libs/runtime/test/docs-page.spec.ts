import { Public } from '@crm/access';
import type { ServiceName } from '@crm/contracts';
import { Describe } from '@crm/http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Headers } from '@nestjs/common';
import type { RunningService } from '../src/index.js';
import { startWith } from './harness.js';

@Controller('api/things')
class ThingController {
  @Get()
  @Public()
  @Describe({ summary: 'Lists things', headers: [{ name: 'X-Key', required: true, description: 'Read by a guard' }] })
  list(@Headers('if-match') _version: string): string[] {
    return [];
  }
}

describe('the API documentation page', () => {
  let service: RunningService | undefined;
  afterEach(() => service?.close());

  const start = async (name: ServiceName) => {
    service = await startWith({ controllers: [ThingController], config: { name } });
    return service.url;
  };
  const documentAt = async (url: string) =>
    (await (await fetch(`${url}/api/openapi.json`)).json()) as {
      servers: { url: string }[];
      paths: Record<string, { get: { parameters: object[] } }>;
    };

  it.each(['gateway', 'embed-gateway', 'marketplace-admin'] as const)('is served completely by %s', async (name) => {
    const url = await start(name);
    const page = await fetch(`${url}/api/docs`);
    const html = await page.text();
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    const parts = [...html.matchAll(/(?:src|href)="(\/api\/docs\/assets\/[^"]+)"/g)].map(([, part]) => part);
    expect(parts).toHaveLength(3);
    for (const part of parts) {
      const answer = await fetch(url + part);
      expect([answer.status, answer.headers.get('x-content-type-options')]).toEqual([200, 'nosniff']);
      expect((await answer.text()).length).toBeGreaterThan(50);
    }
    expect(html).not.toMatch(/https?:\/\//);
    for (const other of ['package.json', '..%2fpackage.json', 'toString']) {
      expect((await fetch(`${url}/api/docs/assets/${other}`)).status).toBe(404);
    }
  });

  it('shows its own address and what a call needs', async () => {
    const { servers, paths } = await documentAt(await start('embed-gateway'));
    expect(servers).toEqual([{ url: '/' }]);
    expect(paths['/api/things']?.get.parameters).toEqual([
      { name: 'X-Key', in: 'header', required: true, description: 'Read by a guard', schema: { type: 'string' } },
      expect.objectContaining({ name: 'If-Match', in: 'header', required: false }),
    ]);
  });

  it('is not served behind the gateway, where the document names the gateway', async () => {
    const url = await start('custom-objects');
    expect((await fetch(`${url}/api/docs`)).status).toBe(404);
    expect((await documentAt(url)).servers).toEqual([{ url: 'http://base.test' }]);
  });
});
