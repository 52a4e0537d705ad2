import { Public } from '@crm/access';
import { Describe } from '@crm/http';
import { Controller, Get } from '@nestjs/common';
import { ApiDocumentService } from './api-document.service.js';
import type { OpenApi } from './merge-documents.js';

/** The merged document. The page that shows it comes from `@crm/http`, as at every edge. */
@Controller('api/openapi.json')
export class ApiDocumentController {
  constructor(private readonly documents: ApiDocumentService) {}

  @Get()
  @Public()
  @Describe({ summary: 'Returns the OpenAPI document of the platform', hidden: true })
  read(): Promise<OpenApi> {
    return this.documents.get();
  }
}
