import { Public } from '@crm/access';
import { Describe } from '@crm/http';
import { Controller, Get } from '@nestjs/common';
import type { OpenApi } from './merge.js';
import { MergedDocument } from './merged-document.js';

/** The document of all services behind the gateway; the page that shows it is every edge's. */
@Controller('api/openapi.json')
export class MergedDocumentController {
  constructor(private readonly merged: MergedDocument) {}

  @Get()
  @Public()
  @Describe({ summary: 'The OpenAPI document of the platform', hidden: true })
  read(): Promise<OpenApi> {
    return this.merged.get();
  }
}
