import { Public } from '@crm/access';
import type { INestApplicationContext } from '@nestjs/common';
import { Controller, Get, Inject, Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { HTTP_CONFIG, type HttpConfig } from '../http-config.js';
import { Describe } from './describe.decorator.js';
import { openApiDocument } from './document.js';

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
  @Describe({ summary: 'This document', hidden: true })
  read(): Record<string, unknown> {
    return this.make(false);
  }
}

/** What the service serves to operators; marketplace-admin merges these documents. */
@Controller('operators/api/openapi.json')
export class OperatorsOpenApiController extends ServedDocument {
  @Get()
  @Public()
  @Describe({ summary: 'This document', hidden: true })
  read(): Record<string, unknown> {
    return this.make(true);
  }
}
