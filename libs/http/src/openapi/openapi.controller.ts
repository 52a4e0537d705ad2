import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Public } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Controller, Get, Header, type INestApplicationContext, Inject, Injectable, Param, Res } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import { HTTP_CONFIG, type HttpConfig } from '../server/adapter.js';
import { Describe } from './describe.decorator.js';
import { openApiDocument } from './document.js';

/** Scripts from here only; Swagger UI sets inline styles and uses data URLs for icons. */
const DOCS_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const DOCS_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>CRM developer platform: API</title>
<link rel="stylesheet" href="/api/docs/assets/swagger-ui.css">
</head>
<body>
<main id="docs"><noscript>This page needs JavaScript; the document itself is <a href="/api/openapi.json">here</a>.</noscript></main>
<script src="/api/docs/assets/swagger-ui-bundle.js"></script>
<script src="/api/docs/assets/docs.js"></script>
</body>
</html>
`;

const DOCS_SCRIPT = `SwaggerUIBundle({
  url: '/api/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  docExpansion: 'list',
  validatorUrl: null,
});
`;

/** Files of Swagger UI that the page uses; nothing else of the package is served. */
const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

const NO_SNIFFING = ['x-content-type-options', 'nosniff'] as const;

/** The page with the API documentation, on every public address. */
@Controller('api/docs')
export class DocsPageController {
  /** Swagger UI: next to this file in tests, else a dependency of the bundled service. No edge starts without it. */
  private readonly folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  private readonly contents = new Map<string, Buffer>();

  @Get()
  @Public()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', DOCS_POLICY)
  @Header(...NO_SNIFFING)
  @Describe({ summary: 'Get the API reference page', hidden: true })
  page(): string {
    return DOCS_PAGE;
  }

  @Get('assets/:file')
  @Public()
  @Describe({ summary: 'Get a file of the page', hidden: true })
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

/** The document of a service about one kind of callers, made on the first request, because most processes get none. */
@Injectable()
class ServedDocument {
  private document: Record<string, unknown> | undefined;

  constructor(
    private readonly modules: ModuleRef,
    @Inject(HTTP_CONFIG) private readonly config: HttpConfig,
  ) {}

  protected make(forOperators: boolean): Record<string, unknown> {
    this.document ??= openApiDocument(this.modules as unknown as INestApplicationContext, this.config, forOperators);
    return this.document;
  }
}

/** The service's own document; the gateway merges those of all services. */
@Controller('api/openapi.json')
export class OpenApiController extends ServedDocument {
  @Get()
  @Public()
  @Describe({ summary: 'Get this document', hidden: true })
  read(): Record<string, unknown> {
    return this.make(false);
  }
}

/** What the service serves to operators; marketplace-admin merges these documents. */
@Controller('operators/api/openapi.json')
export class OperatorsOpenApiController extends ServedDocument {
  @Get()
  @Public()
  @Describe({ summary: 'Get this document', hidden: true })
  read(): Record<string, unknown> {
    return this.make(true);
  }
}
