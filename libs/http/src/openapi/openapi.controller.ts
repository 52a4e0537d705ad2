import { Public } from '@crm/access';
import type { INestApplicationContext } from '@nestjs/common';
import { Controller, Get, Inject } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { HTTP_CONFIG, type HttpConfig } from '../http-config.js';
import { Describe } from './describe.decorator.js';
import { openApiDocument } from './document.js';

/** The service's own document; the gateway merges those of all services. */
@Controller('api/openapi.json')
export class OpenApiController {
  private document: Record<string, unknown> | undefined;

  constructor(
    private readonly modules: ModuleRef,
    @Inject(HTTP_CONFIG) private readonly config: HttpConfig,
  ) {}

  @Get()
  @Public()
  @Describe({ summary: 'This document', hidden: true })
  read(): Record<string, unknown> {
    // Created on the first request, because most processes get none.
    this.document ??= openApiDocument(this.modules as unknown as INestApplicationContext, this.config);
    return this.document;
  }
}
