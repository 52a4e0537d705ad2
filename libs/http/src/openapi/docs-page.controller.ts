import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Public } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Controller, Get, Header, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Describe } from './describe.decorator.js';
import { DOCS_PAGE, DOCS_POLICY, DOCS_SCRIPT } from './docs-page.js';

/** Files of Swagger UI that the page uses; nothing else of the package is served. */
const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

const NO_SNIFFING = ['x-content-type-options', 'nosniff'] as const;

/** The page with the API documentation, on every public address. */
@Controller('api/docs')
export class DocsPageController {
  /**
   * Where Swagger UI is installed: next to this file in tests; a service built into one file has it in its
   * dependencies. An edge without it does not start.
   */
  private readonly folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  private readonly contents = new Map<string, Buffer>();

  @Get()
  @Public()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', DOCS_POLICY)
  @Header(...NO_SNIFFING)
  @Describe({ summary: 'The page', hidden: true })
  page(): string {
    return DOCS_PAGE;
  }

  @Get('assets/:file')
  @Public()
  @Describe({ summary: 'Its files', hidden: true })
  async asset(@Param('file') file: string, @Res() reply: FastifyReply): Promise<void> {
    reply.header(...NO_SNIFFING);
    if (file === 'docs.js') {
      await reply.type('text/javascript; charset=utf-8').send(DOCS_SCRIPT);
      return;
    }
    const type = Object.hasOwn(ASSETS, file) ? ASSETS[file] : undefined;
    if (!type) throw new PlatformError('NOT_FOUND');
    await reply
      .type(type)
      .header('cache-control', 'public, max-age=86400')
      .send(await this.content(file));
  }

  /** Read on the first request, because most processes get none, and then cached: slow readers share it. */
  private async content(file: string): Promise<Buffer> {
    const known = this.contents.get(file);
    if (known) return known;
    const content = await readFile(join(this.folder, file));
    this.contents.set(file, content);
    return content;
  }
}
