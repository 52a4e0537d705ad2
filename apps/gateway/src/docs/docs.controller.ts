import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Public } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Describe } from '@crm/service-kit';
import { Controller, Get, Header, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { DOCS_PAGE, DOCS_POLICY, DOCS_SCRIPT } from './docs-page.js';
import type { OpenApi } from './merge.js';
import { MergedDocument } from './merged-document.js';

/** Files of Swagger UI that the page uses; nothing else of the package is served. */
const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

/** The API's document and a page to read it. */
@Controller('api')
export class DocsController {
  constructor(private readonly merged: MergedDocument) {}

  @Get('openapi.json')
  @Public()
  @Describe({ summary: 'The OpenAPI document of the platform', hidden: true })
  openApi(): Promise<OpenApi> {
    return this.merged.get();
  }

  @Get('docs')
  @Public()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', DOCS_POLICY)
  @Describe({ summary: 'The page', hidden: true })
  page(): string {
    return DOCS_PAGE;
  }

  @Get('docs/assets/:file')
  @Public()
  @Describe({ summary: 'Its files', hidden: true })
  async asset(@Param('file') file: string, @Res() reply: FastifyReply): Promise<void> {
    if (file === 'docs.js') {
      await reply.type('text/javascript; charset=utf-8').send(DOCS_SCRIPT);
      return;
    }
    const type = Object.hasOwn(ASSETS, file) ? ASSETS[file] : undefined;
    if (!type) throw new PlatformError('NOT_FOUND');
    // Read from node_modules when asked for: most gateways never are.
    const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
    const content = await readFile(join(folder, file));
    await reply.type(type).header('cache-control', 'public, max-age=86400').send(content);
  }
}
