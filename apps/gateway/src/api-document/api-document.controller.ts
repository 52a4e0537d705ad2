import { Public } from '@crm/access';
import { Describe } from '@crm/http';
import { MergedDocument } from '@crm/runtime/proxy';
import { Controller, Get, Header, UseGuards } from '@nestjs/common';
import { AddressLimitGuard } from './address-limit.guard.js';

/** The merged document. The page that shows it comes from `@crm/http`, as at every edge. */
@Controller('api/openapi.json')
export class ApiDocumentController {
  constructor(private readonly documents: MergedDocument) {}

  @Get()
  @Public()
  @UseGuards(AddressLimitGuard)
  @Header('content-type', 'application/json; charset=utf-8')
  @Describe({ summary: 'Returns the OpenAPI document of the platform', hidden: true })
  read(): Promise<string> {
    return this.documents.get();
  }
}
